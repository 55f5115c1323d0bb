import { useState } from 'react';
import { useNameSearch, useNames, useTyped } from '../../api/names.ts';
import { titleOf } from '../../api/titles.ts';
import { ComboBox } from '../../ui/combo-box.tsx';
import type { FieldProps } from './field-props.ts';

/** The id of another entity, found by its name. */
export function ReferenceField({ field, api, draft, onChange, ...props }: FieldProps) {
  const [text, setText] = useState('');
  const id = typeof draft === 'string' ? draft : '';
  const options = useNameSearch(api, field.to, useTyped(text));
  const names = useNames(api, field.to, id === '' ? [] : [id]);
  const label = names[id] ?? options.find((option) => option.id === id)?.label ?? id;
  return (
    <ComboBox
      {...props}
      options={options}
      value={id === '' ? null : { id, label }}
      onChange={(chosen) => onChange(chosen ?? '')}
      onSearch={setText}
      empty={`No ${titleOf(field.to ?? '').toLowerCase()} fit.`}
    />
  );
}
