import type { Field } from '@edge-controller/operation-tables';
import { describe, expect, it } from 'vitest';
import { builtInConfigTypes } from '../../server/src/storage/entity-store/migrations/built-in-config-types.ts';
import { readAll } from '../src/entities/form/read-body.ts';
import { fieldsOfSchema } from '../src/entities/form/schema-fields.ts';
import { formOf } from '../src/entities/form/schema-form.ts';

const data: Field = { name: 'data', type: 'map', isRequired: true };
const schema = {
  type: 'object',
  required: ['host', 'limits'],
  definitions: { port: { type: 'integer', minimum: 1 }, set: { type: 'array', minItems: 1 } },
  properties: {
    host: { type: 'string', description: 'A name.' },
    port: { $ref: '#/definitions/port' },
    share: { type: ['number', 'null'], default: 0.5 },
    isOpen: { type: 'boolean' },
    protocol: { enum: ['tcp', 'udp'] },
    level: { type: 'integer', enum: [1, 2] },
    ports: { allOf: [{ $ref: '#/definitions/set' }, { items: { $ref: '#/definitions/port' } }] },
    limits: { type: 'object', required: ['most'], properties: { most: { type: 'integer' } } },
    either: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    labels: { type: 'object' },
    checks: { type: ['array', 'null'], items: { required: ['to'], properties: { to: { type: 'string' } } } },
  },
};

const fields = fieldsOfSchema(schema, data);
const read = (value: Readonly<Record<string, unknown>>) => {
  const form = formOf(fields, data, value);
  return form && readAll(form.fields, form.drafts).body.data;
};

describe('the fields of a JSON schema', () => {
  it('are those that a form can show; what it cannot show is JSON', () => {
    expect(fields).toEqual([
      { name: 'data', type: 'object', isRequired: true },
      { name: 'data.host', type: 'text', isRequired: true, about: 'A name.' },
      { name: 'data.port', type: 'integer' },
      { name: 'data.share', type: 'number', about: 'Default: 0.5.' },
      { name: 'data.isOpen', type: 'boolean' },
      { name: 'data.protocol', type: 'text', values: ['tcp', 'udp'] },
      { name: 'data.level', type: 'integer', values: ['1', '2'] },
      { name: 'data.ports', type: 'integer', isList: true },
      { name: 'data.limits', type: 'object', isRequired: true },
      { name: 'data.limits.most', type: 'integer', isRequired: true },
      { name: 'data.either', type: 'json' },
      { name: 'data.labels', type: 'map' },
      {
        ...{ name: 'data.checks', type: 'json', isList: true },
        items: [{ name: 'to', type: 'text', isRequired: true }],
      },
    ]);
  });

  it('keep a value as it is', () => {
    const limits = { most: 3 };
    const value = { host: 'a', port: 80, share: 0.5, isOpen: false, protocol: 'udp', level: 2, ports: [1, 2], limits };
    expect(read(value)).toEqual(value);
    expect(read({ host: 'a', limits, either: ['b'], labels: { one: 1 } })).toMatchObject({ either: ['b'] });
    expect(read({ host: 'a', limits, checks: [{ to: 'b' }, { to: 'c' }] })).toMatchObject({
      checks: [{ to: 'b' }, { to: 'c' }],
    });
  });

  it.each([
    { host: 'a', other: 1 },
    { host: null },
    { host: 'a', port: '80' },
    { 'a.b': 1 },
    { ports: ['x'] },
    { checks: [{ other: 1 }] },
  ])('are not for %j, of which they would lose a part', (value) => {
    expect(read(value)).toBeNull();
  });

  it('say what is missing or wrong', () => {
    const form = formOf(fields, data, {});
    const drafts = { ...form?.drafts, 'data.port': 'many', 'data.ports': ['1', 'x'] };
    expect(readAll(form?.fields ?? [], drafts).errors).toEqual({
      'data.host': 'This is required.',
      'data.port': 'Enter a whole number.',
      'data.ports': 'Enter a whole number.',
      'data.limits.most': 'This is required.',
    });
  });

  it('are none for a schema without members, with a dot in a name, or that never ends', () => {
    expect(fieldsOfSchema({ type: 'object' }, data)).toBeNull();
    expect(fieldsOfSchema({ properties: { 'a.b': { type: 'string' } } }, data)).toBeNull();
    const tree = { properties: { name: { type: 'string' }, inner: { $ref: '#' } } };
    expect(fieldsOfSchema(tree, data)?.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'data object',
      'data.name text',
      'data.inner json',
    ]);
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`m${at}`, { $ref: '#/definitions/node' }]));
    expect(fieldsOfSchema({ properties: wide, definitions: { node: { properties: wide } } }, data)).toBeNull();
    const lists = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`m${at}`, { type: 'array', items: { $ref: '#/definitions/node' } }]),
    );
    expect(fieldsOfSchema({ properties: lists, definitions: { node: { properties: wide } } }, data)).toBeNull();
  });

  it.each(builtInConfigTypes.map(({ name, schema: own }) => [name, own] as const))('show configs of %s', (_, own) => {
    expect(fieldsOfSchema(own, data)?.length).toBeGreaterThan(1);
  });
});
