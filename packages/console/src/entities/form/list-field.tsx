import type { ApiName } from '@edge-controller/operation-tables';
import { resourceOf } from '@edge-controller/operation-tables';
import { useState } from 'react';
import { bestFirst, useAttributeSearch, useNameSearch, useNames } from '../../api/names.ts';
import { useTable } from '../../api/tables.ts';
import type { SelectOption } from '../../ui/select.tsx';
import { TagField } from '../../ui/tag-field.tsx';
import { nounOf } from '../list/words.ts';
import type { FieldProps } from './field-props.ts';
import { useEntityOptions } from './reference-box.tsx';

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
  const [text, setText] = useState('');
  const typed = text.trim();
  return (
    <TagField
      {...props}
      values={listOf(props).map(optionOf)}
      options={typed === '' ? [] : [optionOf(typed)]}
      onSearch={setText}
      empty="Type a text, and press Enter to add it."
    />
  );
}

function ChoicesField({ field, ...props }: FieldProps) {
  const [text, setText] = useState('');
  const options = (field.values ?? []).filter((value) => value.toLowerCase().includes(text.trim().toLowerCase()));
  return (
    <TagField
      {...props}
      values={listOf(props).map(optionOf)}
      options={bestFirst(text.trim(), options, String).map(optionOf)}
      onSearch={setText}
    />
  );
}

function ReferencesField({ field, api, ...props }: FieldProps) {
  const [text, setText] = useState('');
  const ids = listOf(props);
  const names = useNames(api, field.to, ids);
  const search = useEntityOptions(api, field.to, text);
  return (
    <TagField
      {...props}
      {...search}
      values={ids.map((id) => ({ id, label: names.get(id) ?? id }))}
      onSearch={setText}
      empty="Type a part of the name, or the id."
    />
  );
}

function AttributesField({ field: _field, api, resource, ...props }: FieldProps) {
  const [text, setText] = useState('');
  const typed = text.trim().replace(/^#/, '');
  const hasAttributes = resourceOf(useTable(api), resource)?.verbs.roleAttributes !== undefined;
  const { found, ...search } = useAttributeSearch(api, hasAttributes ? resource : undefined, typed);
  const isNew = typed !== '' && !search.isSearching && !found.includes(typed);
  return (
    <TagField
      {...props}
      {...search}
      values={listOf(props).map(optionOf)}
      options={[
        ...bestFirst(typed, found, String).map(optionOf),
        ...(isNew ? [{ id: typed, label: `New attribute ${typed}` }] : []),
      ]}
      onSearch={setText}
      empty="Type an attribute."
    />
  );
}

/** `#attribute` selects all that have it, `@name` one entity, `#all` everything. */
function RolesField({ field: { to = '' }, api, ...props }: FieldProps) {
  const [text, setText] = useState('');
  const roles = listOf(props);
  const ids = roles.filter((role) => role.startsWith('@')).map((role) => role.slice(1));
  const names = useNames(api, to, ids);
  const search = useRoleOptions(api, to, text.trim());
  return (
    <TagField
      {...props}
      {...search}
      values={roles.map((role) => ({
        id: role,
        label: role.startsWith('@') ? `@${names.get(role.slice(1)) ?? role.slice(1)}` : role,
      }))}
      onSearch={setText}
    />
  );
}

function useRoleOptions(api: ApiName, to: string, text: string) {
  const word = text.replace(/^[#@]/, '');
  const takesAttributes = !text.startsWith('@');
  const hasAttributes = resourceOf(useTable(api), to)?.verbs.roleAttributes !== undefined;
  const attributes = useAttributeSearch(api, hasAttributes && takesAttributes ? to : undefined, word);
  const entities = useNameSearch(api, text.startsWith('#') ? undefined : to, word);
  const noun = nounOf(to);
  const all = { id: '#all', label: '#all', kind: `every ${noun}` };
  const options = [
    ...entities.found.map(({ id, label }) => ({ id: `@${id}`, label: `@${label}`, kind: noun })),
    ...attributes.found.map((attribute) => ({ ...optionOf(`#${attribute}`), kind: 'role attribute' })),
    ...(takesAttributes && 'all'.startsWith(word.toLowerCase()) ? [all] : []),
  ];
  const isSearching = attributes.isSearching || entities.isSearching;
  const isNew = takesAttributes && word !== '' && word !== 'all' && !isSearching && !attributes.found.includes(word);
  return {
    options: [
      ...bestFirst(word, options, ({ label }) => label.slice(1)),
      ...(isNew
        ? [{ id: `#${word}`, label: `New attribute #${word}`, kind: `no ${noun} has it`, isExplicit: true }]
        : []),
    ],
    more: attributes.more + entities.more,
    isSearching,
  };
}
