import type { ApiName } from '@edge-controller/operation-tables';
import { useState } from 'react';
import { useNameSearch, useNames, useTyped } from '../../api/names.ts';
import type { ComboBoxProps } from '../../ui/combo-box.tsx';
import { ComboBox } from '../../ui/combo-box.tsx';
import type { SelectOption } from '../../ui/select.tsx';

interface ReferenceBoxProps extends Pick<ComboBoxProps, 'label' | 'description' | 'error' | 'isRequired'> {
  readonly api: ApiName;
  /** The resource of the entity. */
  readonly to: string | undefined;
  /** The id of the chosen entity. Empty: none. */
  readonly id: string;
  readonly onChange: (id: string) => void;
}

/** A box that finds an entity by a part of its name, or by its id. */
export function ReferenceBox({ api, to, id, onChange, ...props }: ReferenceBoxProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<SelectOption | null>(null);
  const typed = useTyped(text);
  const found = useNameSearch(api, to, typed);
  // Some entities have no names, and not everybody may list those that have.
  const options = found.length > 0 || typed === '' ? found : [{ id: typed, label: `Use the id ${typed}` }];
  const names = useNames(api, to, id === '' ? [] : [id]);
  const label = chosen?.id === id ? chosen.label : (names.get(id) ?? id);
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
