import { useEffect, useRef } from 'react';
import { SearchField as AriaSearchField, Button, Input, Label } from 'react-aria-components';
import './search-field.css';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly onBlur?: () => void;
  readonly maxLength?: number;
}

/** A text that finds something while it is typed. `/` leads to it, Escape empties it. */
export function SearchField({ label, ...props }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const find = (event: KeyboardEvent) => {
      const isHidden = input.current?.closest('[inert], [aria-hidden="true"]') !== null;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isHidden || isTyped(event.target))
        return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', find);
    return () => document.removeEventListener('keydown', find);
  }, []);
  return (
    <AriaSearchField {...props} className="field search">
      <Label>{label}</Label>
      <div className="search-box">
        <Input ref={input} aria-keyshortcuts="/" />
        <Button className="button quiet" aria-label="Empty the search">
          ×
        </Button>
      </div>
    </AriaSearchField>
  );
}

/** Whether the key is a part of a text. */
function isTyped(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input:not([type="checkbox"]), textarea, [role="listbox"]') !== null
  );
}
