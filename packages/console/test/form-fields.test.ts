import type { Field } from '@edge-controller/operation-tables';
import { loadBody, loadTable } from '@edge-controller/operation-tables';
import { describe, expect, it } from 'vitest';
import { consoleOperations } from '../src/api/console-operations.ts';
import { mapDraftOf, otherView, readMap } from '../src/entities/form/map-draft.ts';
import { emptyDrafts, fieldsOf, readArguments } from '../src/entities/form/operation-drafts.ts';
import { draftsOf, fieldNamed, readAll, readChanges } from '../src/entities/form/read-body.ts';

const fields: readonly Field[] = [
  { name: 'name', type: 'text', isRequired: true },
  { name: 'limit', type: 'integer' },
  { name: 'group', type: 'object' },
  { name: 'group.kind', type: 'text', isRequired: true },
  { name: 'group.isOn', type: 'boolean' },
  { name: 'tags', type: 'map' },
];

it('has a form for every operation, which gives the call all of its arguments', async () => {
  const tables = { client: await loadTable('client'), management: await loadTable('management') };
  for (const { resource, verb, entry } of consoleOperations(tables)) {
    const own = fieldsOf(entry, await loadBody(entry), 0);
    const { args } = readArguments(entry, own, { drafts: emptyDrafts(own), given: [] });
    const { params = [], query, headers, body } = entry;
    const count = params.length + [query, headers, body].filter((part) => part !== undefined).length;
    expect(args, `${resource}.${verb}`).toHaveLength(count);
    expect(own.body.length > 0, `${resource}.${verb}`).toBe(body !== undefined);
  }
});

describe('the body of a form', () => {
  it('has what is set, and asks for members of a group only when the group is used', () => {
    const empty = draftsOf(fields);
    expect(readAll(fields, empty)).toEqual({ body: {}, errors: { name: 'This is required.' } });
    expect(readAll(fields, { ...empty, name: 'a', limit: '12' })).toEqual({
      body: { name: 'a', limit: 12 },
      errors: {},
    });
    expect(readAll(fields, { ...empty, name: 'a', 'group.isOn': false }).errors).toEqual({
      'group.kind': 'This is required.',
    });
    expect(readAll(fields, { ...empty, name: 'a', limit: '1.5' }).errors).toEqual({ limit: 'Enter a whole number.' });
  });

  it('begins with the safe value where a field has one', () => {
    const safe = { value: true, otherwise: 'Others can read it.' };
    const flags: readonly Field[] = [
      { name: 'isSealed', type: 'boolean', isRequired: true, safe },
      { name: 'isHidden', type: 'boolean', safe },
      { name: 'isLoud', type: 'boolean', isRequired: true },
    ];
    expect(draftsOf(flags)).toEqual({ isSealed: true, isHidden: true, isLoud: false });
    expect(draftsOf(flags, { isSealed: false }).isSealed).toBe(false);
  });

  it('has what was changed, and refuses to remove what the controller keeps', () => {
    const optional = fields.map(({ isRequired: _isRequired, ...field }) => field);
    const first = draftsOf(optional, { name: 'a', limit: 3, group: { kind: 'x', isOn: true }, tags: { one: 1 } });
    expect(readChanges(optional, first, first)).toEqual({ body: {}, errors: {} });
    const changed = { ...first, name: '', 'group.isOn': false, tags: { rows: [], json: null } };
    expect(readChanges(optional, changed, first).body).toEqual({ name: '', group: { isOn: false }, tags: {} });
    expect(Object.keys(readChanges(optional, { ...first, limit: '' }, first).errors)).toEqual(['limit']);
  });

  it('has the members of the chosen kind, and asks for those that the kind needs', () => {
    const ofKinds: readonly Field[] = [
      { name: 'kind', type: 'text', values: ['A', 'B'], isRequired: true },
      { name: 'size', type: 'integer', kinds: { by: 'kind', names: ['A'], neededBy: ['A'] } },
      { name: 'color', type: 'text', kinds: { by: 'kind', names: ['A', 'B'], neededBy: ['B'] } },
    ];
    const drafts = { kind: 'B', size: '3', color: 'red' };
    expect(readAll(ofKinds, drafts)).toEqual({ body: { kind: 'B', color: 'red' }, errors: {} });
    expect(readAll(ofKinds, { ...drafts, kind: '' }).body).toEqual({});
    expect(Object.keys(readAll(ofKinds, { kind: 'A', size: '', color: '' }).errors)).toEqual(['size']);
    expect(Object.keys(readAll(ofKinds, { kind: 'B', size: '', color: '' }).errors)).toEqual(['color']);
  });

  it('has the objects of a list, and says what is wrong in which of them', () => {
    const items: readonly Field[] = [
      { name: 'path', type: 'text', isRequired: true },
      { name: 'hashes', type: 'text', isList: true },
    ];
    const lists: readonly Field[] = [{ name: 'programs', type: 'json', isList: true, items }];
    const programs = [{ path: '/bin/a', hashes: ['1', '2'] }, { path: '/bin/b' }];
    const drafts = draftsOf(lists, { programs });
    expect(readAll(lists, drafts)).toEqual({ body: { programs }, errors: {} });
    expect(readAll(lists, draftsOf(lists)).body).toEqual({});
    expect(readChanges(lists, draftsOf(lists), drafts).body).toEqual({ programs: [] });
    const wrong = draftsOf(lists, { programs: [programs[0], { hashes: ['3'] }] });
    expect(readAll(lists, wrong).errors).toEqual({ 'programs.1.path': 'This is required.' });
    expect(fieldNamed(lists, 'programs.1.hashes.0')).toBe('programs.1.hashes');
    expect(fieldNamed(lists, 'programs.1')).toBe('programs');
  });

  it('finds the field that an error names', () => {
    expect(fieldNamed(fields, 'group.kind')).toBe('group.kind');
    expect(fieldNamed(fields, 'tags.floor')).toBe('tags');
    expect(fieldNamed(fields, 'other')).toBeNull();
  });
});

describe('keys and values', () => {
  it('keep their types as rows and as JSON', () => {
    const value = { text: 'roof', number: 7, digits: '7', flag: true, nothing: null };
    const rows = mapDraftOf(value);
    expect(rows.rows.map(({ text }) => text)).toEqual(['roof', '7', '"7"', 'true', 'null']);
    expect(readMap(rows)).toEqual({ value });
    const json = otherView(rows);
    expect(json && readMap(json)).toEqual({ value });
    expect(mapDraftOf({ inner: { a: 1 } }).json).toContain('"a": 1');
  });

  it('say what is wrong', () => {
    const row = { key: 'a', text: '1' };
    expect(readMap({ rows: [row, row], json: null }).error).toBe('The key a stands twice.');
    expect(readMap({ rows: [{ key: '', text: '1' }], json: null }).error).toBe('A value has no key.');
    expect(readMap({ rows: [], json: '[1]' }).error).toBe('Enter an object: { … }.');
    expect(readMap({ rows: [], json: '{' }).error).toMatch(/^This is not JSON/);
  });
});
