import { useState } from 'react';
import { useNameSearch, useNames, useTyped } from '../../api/names.ts';
import { ComboBox } from '../../ui/combo-box.tsx';
import type { SelectOption } from '../../ui/select.tsx';
import type { FieldProps } from './field-props.ts';

/** The id of another entity, found by its name. */
export function ReferenceField({ field, api, draft, onChange, ...props }: FieldProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<SelectOption | null>(null);
  const id = typeof draft === 'string' ? draft : '';
  const typed = useTyped(text);
  const found = useNameSearch(api, field.to, typed);
  // Some entities have no names, and not everybody may list those that have.
  const options = found.length > 0 || typed === '' ? found : [{ id: typed, label: `Use the id ${typed}` }];
  const names = useNames(api, field.to, id === '' ? [] : [id]);
  const label = chosen?.id === id ? chosen.label : (names[id] ?? id);
  return (
    <ComboBox
      {...props}
      options={options}
      value={id === '' ? null : { id, label }}
      onChange={(next) => {
        setChosen(found.find((option) => option.id === next) ?? null);
        onChange(next ?? '');
      }}
      onSearch={setText}
      empty="Type a part of the name, or the id."
    />
  );
}
