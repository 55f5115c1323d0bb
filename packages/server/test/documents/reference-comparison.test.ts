import { describe, expect, it } from 'vitest';
import { compareDocuments } from './reference/compare-documents.ts';
import type { Direction } from './reference/compare-schemas.ts';
import { compareSchemas } from './reference/compare-schemas.ts';
import type { Definitions, Document, Schema } from './reference/digest.ts';
import { digestOf } from './reference/digest.ts';
import { Shapes } from './reference/shape.ts';

const text: Schema = { type: 'string' };
const date: Schema = { type: 'string', format: 'date-time' };
const color: Schema = { type: 'string', enum: ['red', 'green'] };
const orNull = (schema: Schema): Schema => ({ ...schema, 'x-nullable': true });
const oneMember = (a: Schema): Schema => ({ type: 'object', properties: { a }, required: ['a'] });
const optionalMember = (a: Schema): Schema => ({ type: 'object', properties: { a } });

function compare(direction: Direction, reference: Schema, own: Schema, definitions: Definitions = {}): string[] {
  const places = { reference: { schema: reference, at: 'x' }, own: { schema: own, at: 'own' } };
  const shapes = { reference: new Shapes(definitions), own: new Shapes(definitions) };
  return compareSchemas(places, shapes, direction).map(({ kind, at }) => `${kind} ${at}`);
}

describe('a schema of the controller', () => {
  it.each<[string, Schema, Schema, string[], string[]]>([
    ['the same', oneMember(color), oneMember(color), [], []],
    ['lacks a member', oneMember(text), { type: 'object' }, ['missing x.a'], ['missing x.a']],
    ['lacks an optional member', optionalMember(text), { type: 'object' }, ['missing x.a'], ['missing x.a']],
    ['has one more member', optionalMember(text), { properties: { a: text, b: text } }, ['extra x.b'], ['extra x.b']],
    ['has members of a free object', { type: 'object' }, oneMember(text), [], []],
    ['requires less', oneMember(text), optionalMember(text), ['missing x.a'], []],
    ['requires more', optionalMember(text), oneMember(text), [], ['required x.a']],
    ['has null', oneMember(text), oneMember(orNull(text)), ['null x.a'], []],
    ['has no null', oneMember(orNull(text)), oneMember(text), [], ['null x.a']],
    ['has another type', oneMember(text), oneMember({ type: 'integer' }), ['type x.a'], ['type x.a']],
    ['has integers', oneMember({ type: 'number' }), oneMember({ type: 'integer' }), [], ['type x.a']],
    ['has anything', oneMember(orNull(text)), oneMember({}), ['type x.a'], []],
    ['has more values', oneMember(color), oneMember(text), ['enum x.a'], []],
    ['has fewer values', oneMember(text), oneMember(color), [], ['enum x.a']],
    ['has other texts than dates', oneMember(date), oneMember(text), ['format x.a'], []],
    ['has other elements', { type: 'array', items: text }, { type: 'array', items: date }, [], ['format x[]']],
    [
      'has other values of a map',
      { additionalProperties: text },
      { additionalProperties: {} },
      ['type x{}', 'null x{}'],
      [],
    ],
    ['has a member of a map', { additionalProperties: color }, oneMember(text), ['enum x{}'], []],
  ])('%s', (_, reference, own, ofResponse, ofRequest) => {
    expect(compare('response', reference, own)).toEqual(ofResponse);
    expect(compare('request', reference, own)).toEqual(ofRequest);
  });

  it('is compared with all definitions that the reference joins, each by its name', () => {
    const definitions: Definitions = {
      base: { ...oneMember(text), discriminator: 'a' },
      kind: { allOf: [{ $ref: '#/definitions/base' }, { $ref: '#/definitions/more' }, optionalMember(orNull(text))] },
      more: { type: 'object', properties: { b: text } },
      unnamed: { type: 'object', required: ['c'] },
      circle: { type: 'object', properties: { next: { $ref: '#/definitions/circle' }, a: color } },
    };
    const of = (name: string) => ({ $ref: `#/definitions/${name}` });
    const own = (...names: string[]) => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, {}])),
    });
    expect(compare('response', of('base'), own('a', 'b', 'c'), definitions)).toEqual([
      ...['type base.a', 'null base.a', 'missing base.a', 'type more.b', 'null more.b', 'extra base.c'],
    ]);
    expect(compare('response', of('kind'), own('a'), definitions)).toEqual([
      'type kind.a',
      'missing kind.a',
      'missing more.b',
    ]);
    expect(compare('response', of('unnamed'), own(), definitions)).toEqual(['missing unnamed.c']);
    expect(compare('response', of('circle'), of('circle'), definitions)).toEqual([]);
  });
});

it('operations are compared by method and path, their query, body, status and response', () => {
  const responses = (status: string, schema?: Schema) => ({
    [status]: schema ? { schema } : {},
    default: { schema: text },
  });
  const body = { name: 'body', in: 'body', schema: oneMember(text) };
  const query = (name: string) => ({ name, in: 'query', type: 'string' });
  const reference: Document = {
    definitions: {},
    paths: {
      '/a/{id}': {
        parameters: [query('limit')],
        get: { parameters: [query('sort')], responses: responses('200', text) },
      },
      '/b': { post: { parameters: [body], responses: responses('201') }, delete: { responses: responses('200') } },
      '/c': { post: { responses: responses('200') } },
    },
  };
  const own: Document = {
    definitions: {},
    paths: {
      '/a/{name}': { get: { parameters: [query('sort')], responses: responses('200', color) } },
      '/b': { post: { responses: responses('200') } },
      '/c': { post: { parameters: [body], responses: responses('200') }, get: { responses: responses('200') } },
    },
  };
  const differences = compareDocuments({ reference: digestOf(reference), own: digestOf(own) });
  expect(differences.map(({ kind, at }) => `${kind} ${at}`)).toEqual([
    'missing GET /a/{id}?limit',
    'status POST /b',
    'missing POST /b body',
    'operation DELETE /b',
    'extra POST /c body',
  ]);
});
