import { resourceOf } from '@edge-controller/operation-tables';
import { useState } from 'react';
import { useAttributeSearch, useNameSearch, useNames, useTyped } from '../../api/names.ts';
import { useTable } from '../../api/tables.ts';
import type { SelectOption } from '../../ui/select.tsx';
import { TagField } from '../../ui/tag-field.tsx';
import type { FieldProps } from './field-props.ts';

/** Texts of a list: free ones, some of the known values, ids by name, role attributes, or roles. */
export function ListField(props: FieldProps) {
  const { set, to, values } = props.field;
  if (set === 'roles') return <RolesField {...props} />;
  if (set === 'attributes') return <AttributesField {...props} />;
  if (to !== undefined) return <ReferencesField {...props} />;
  return values === undefined ? <TextsField {...props} /> : <ChoicesField {...props} />;
}

const optionOf = (text: string): SelectOption => ({ id: text, label: text });

function listOf({ draft }: Pick<FieldProps, 'draft'>): readonly string[] {
  return Array.isArray(draft) ? draft.map(String) : [];
}

function TextsField({ field: _field, api: _api, resource: _resource, isRequired: _isRequired, ...props }: FieldProps) {
  return (
    <TagField
      {...props}
      values={listOf(props).map(optionOf)}
      options={[]}
      onSearch={() => undefined}
      fromText={(text) => text}
      empty="Press Enter to add the text."
    />
  );
}

function ChoicesField({ field, ...props }: FieldProps) {
  const [text, setText] = useState('');
  const options = (field.values ?? []).filter((value) => value.toLowerCase().includes(text.toLowerCase()));
  return (
    <TagField {...props} values={listOf(props).map(optionOf)} options={options.map(optionOf)} onSearch={setText} />
  );
}

function ReferencesField({ field, api, ...props }: FieldProps) {
  const [text, setText] = useState('');
  const ids = listOf(props);
  const names = useNames(api, field.to, ids);
  const options = useNameSearch(api, field.to, useTyped(text));
  return (
    <TagField
      {...props}
      values={ids.map((id) => ({ id, label: names.get(id) ?? id }))}
      options={options}
      onSearch={setText}
      fromText={(id) => id}
      empty="Type a part of the name, or the id."
    />
  );
}

function AttributesField({ field: _field, api, resource, ...props }: FieldProps) {
  const [text, setText] = useState('');
  const hasAttributes = resourceOf(useTable(api), resource)?.verbs.roleAttributes !== undefined;
  const attributes = useAttributeSearch(api, hasAttributes ? resource : undefined, useTyped(text));
  return (
    <TagField
      {...props}
      values={listOf(props).map(optionOf)}
      options={attributes.map(optionOf)}
      onSearch={setText}
      fromText={(typed) => typed.replace(/^#/, '')}
      empty="Press Enter to add a new attribute."
    />
  );
}

/** `#attribute` selects all that have it, `@name` one entity, `#all` everything. */
function RolesField({ field: { to }, api, ...props }: FieldProps) {
  const [text, setText] = useState('');
  const typed = useTyped(text);
  const word = typed.replace(/^[#@]/, '');
  const roles = listOf(props);
  const ids = roles.filter((role) => role.startsWith('@')).map((role) => role.slice(1));
  const names = useNames(api, to, ids);
  const hasAttributes = resourceOf(useTable(api), to ?? '')?.verbs.roleAttributes !== undefined;
  const attributes = useAttributeSearch(api, hasAttributes && !typed.startsWith('@') ? to : undefined, word);
  const entities = useNameSearch(api, typed.startsWith('#') ? undefined : to, word);
  const found = [
    ...['all', ...attributes].map((attribute) => optionOf(`#${attribute}`)),
    ...entities.map(({ id, label }) => ({ id: `@${id}`, label: `@${label}` })),
  ];
  return (
    <TagField
      {...props}
      values={roles.map((role) => ({
        id: role,
        label: role.startsWith('@') ? `@${names.get(role.slice(1)) ?? role.slice(1)}` : role,
      }))}
      options={found}
      onSearch={setText}
      fromText={(written) => (/^[#@]/.test(written) ? written : `#${written}`)}
      empty="Press Enter to add a new attribute."
    />
  );
}
