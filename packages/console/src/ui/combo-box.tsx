import { useEffect, useState } from 'react';
import type { PickerField } from './picker.tsx';
import { Picker } from './picker.tsx';
import type { SelectOption } from './select.tsx';

export interface ComboBoxProps extends PickerField {
  /** What is chosen, with its label, or `null`. */
  readonly value: SelectOption | null;
  readonly onChange: (id: string | null) => void;
}

/** A choice among more than a list can show. */
export function ComboBox({ value, onChange, onSearch, options, ...props }: ComboBoxProps) {
  const label = value?.label ?? '';
  const [text, setText] = useState(label);
  useEffect(() => setText(label), [label]);
  const isTyped = text !== label;
  const others = options.filter(({ id }) => id !== value?.id);

  return (
    <Picker
      {...props}
      options={value === null || isTyped ? options : [value, ...others]}
      value={value?.id ?? null}
      {...{ text, isTyped }}
      onText={(typed) => {
        setText(typed);
        if (typed === '') onChange(null);
        onSearch(typed === label ? '' : typed);
      }}
      onTake={(id) => {
        // The text changes together with the value: otherwise it would look as if somebody went on typing.
        setText(options.find((option) => option.id === id)?.label ?? label);
        onSearch('');
        if (id !== value?.id) onChange(id);
      }}
    />
  );
}
