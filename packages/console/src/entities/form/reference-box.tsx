import type { ApiName } from '@edge-controller/operation-tables';
import { useState } from 'react';
import { bestFirst, useNameSearch, useNames } from '../../api/names.ts';
import type { ComboBoxProps } from '../../ui/combo-box.tsx';
import { ComboBox } from '../../ui/combo-box.tsx';
import type { PickerOption } from '../../ui/picker.tsx';
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
  const search = useEntityOptions(api, to, text);
  const names = useNames(api, to, id === '' ? [] : [id]);
  const label = chosen?.id === id ? chosen.label : (names.get(id) ?? id);
  return (
    <ComboBox
      {...props}
      {...search}
      value={id === '' ? null : { id, label }}
      onChange={(next) => {
        setChosen(search.options.find((option) => option.id === next && !option.isExplicit) ?? null);
        onChange(next ?? '');
      }}
      onSearch={setText}
      empty="Type a part of the name, or the id."
    />
  );
}

/** The entities that fit a text, for a picker. */
export function useEntityOptions(api: ApiName, to: string | undefined, text: string) {
  const typed = text.trim();
  const { found, more, isSearching } = useNameSearch(api, to, typed);
  // Some entities have no names, and not everybody may list those that have.
  const isId = found.length === 0 && typed !== '' && !isSearching;
  const options: readonly PickerOption[] = isId
    ? [{ id: typed, label: `Use the id ${typed}`, isExplicit: true }]
    : bestFirst(typed, found, ({ label }) => label);
  return { options, more, isSearching };
}
