import { SearchField as AriaSearchField, Button, Input, Label } from 'react-aria-components';
import './search-field.css';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly maxLength?: number;
}

/** A text that finds something while it is typed. Escape empties it. */
export function SearchField({ label, ...props }: SearchFieldProps) {
  return (
    <AriaSearchField {...props} className="field search">
      <Label>{label}</Label>
      <div className="search-box">
        <Input />
        <Button className="button quiet" aria-label="Empty the search">
          ×
        </Button>
      </div>
    </AriaSearchField>
  );
}
