import { useEffect, useState } from 'react';
import {
  ComboBox as AriaComboBox,
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Text,
} from 'react-aria-components';
import type { SelectOption } from './select.tsx';
import './combo-box.css';

export interface ComboBoxProps {
  readonly label: string;
  /** What fits the text; whoever shows the box looks for it. */
  readonly options: readonly SelectOption[];
  /** What is chosen, with its label, or `null`. */
  readonly value: SelectOption | null;
  readonly onChange: (id: string | null) => void;
  /** Called with the text that was typed. */
  readonly onSearch: (text: string) => void;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  /** What the list says when nothing fits. */
  readonly empty?: string;
}

/** A choice among more than a list can show. */
export function ComboBox({ value, onChange, onSearch, options, ...props }: ComboBoxProps) {
  const [text, setText] = useState(value?.label ?? '');
  const label = value?.label ?? '';
  useEffect(() => setText(label), [label]);
  const others = options.filter(({ id }) => id !== value?.id);

  return (
    <AriaComboBox
      className="field combo"
      items={value === null ? others : [value, ...others]}
      value={value?.id ?? null}
      onChange={(id) => {
        if (id === null) return;
        // The text changes together with the value: otherwise it would look as if somebody went on typing.
        setText(others.find((option) => option.id === id)?.label ?? label);
        onChange(String(id));
      }}
      inputValue={text}
      onInputChange={(typed) => {
        setText(typed);
        if (typed === '') onChange(null);
        onSearch(typed === label ? '' : typed);
      }}
      allowsEmptyCollection
      isInvalid={props.error !== undefined}
      {...(props.isRequired && { isRequired: true })}
    >
      <ComboBoxParts {...props} />
    </AriaComboBox>
  );
}

type PartsProps = Pick<ComboBoxProps, 'label' | 'description' | 'error' | 'empty'>;

/** What stands in a combo box, whatever it chooses. */
export function ComboBoxParts({ label, description, error, empty = 'Nothing fits.' }: PartsProps) {
  return (
    <>
      <Label>{label}</Label>
      <div className="combo-input">
        <Input />
        <Button className="combo-button" aria-label="Show suggestions">
          <span aria-hidden="true">▾</span>
        </Button>
      </div>
      {description && (
        <Text slot="description" className="description">
          {description}
        </Text>
      )}
      <FieldError className="error">{error}</FieldError>
      <Popover className="popover">
        <ListBox<SelectOption> renderEmptyState={() => <span className="option soft">{empty}</span>}>
          {(option) => (
            <ListBoxItem className="option" id={option.id} textValue={option.label}>
              {option.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </>
  );
}
