import { definitions } from '@edge-controller/shared-types';
import { z } from 'zod';
import { describeSchema } from './descriptions.ts';
import type { Parameter, Schema } from './parts.ts';

/** What every reference to a registered schema begins with. */
export const schemaPrefix = '#/components/schemas/';
/** With `input`, objects do not forbid unknown members: requests may have them, and later versions may send more. */
const options = { target: 'draft-2020-12', io: 'input' } as const;

/** Returns all registered schemas by their names on the wire. */
export function printDefinitions(): Record<string, Schema> {
  const { schemas } = z.toJSONSchema(definitions, { ...options, uri: (id) => schemaPrefix + id });
  return Object.fromEntries(
    Object.entries(schemas as Record<string, Schema>).map(([id, schema]) => [id, describeSchema(id, rewrite(schema))]),
  );
}

/** Returns a reference to a registered schema, or a list of them, or a text. */
export function printBody(schema: z.ZodType, name: string): Schema {
  const id = definitions.get(schema)?.id;
  if (id !== undefined) return reference(id);
  if (schema instanceof z.ZodArray) return { type: 'array', items: printBody(schema.element as z.ZodType, name) };
  if (schema instanceof z.ZodString) return { type: 'string' };
  throw new Error(`${name}: a schema of a body or a response has no name on the wire`);
}

/** Returns the parameters of an object of path parameters, query parameters or headers. */
export function printParameters(place: Parameter['in'], schema: z.ZodObject | undefined): Parameter[] {
  if (!schema) return [];
  // The input of a coerced number is anything, its output is the number.
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { ...options, io: 'output' }) as Schema;
  return Object.entries(properties).map(([name, property]) => ({
    ...{ name, in: place, required: required.includes(name) },
    ...(property.type === 'array' && place === 'query' && { style: 'form', explode: true }),
    schema: rewrite(property),
  }));
}

export function reference(id: string): Schema {
  return { $ref: schemaPrefix + id };
}

/** Returns a schema that also allows null. */
export function nullable(schema: Schema): Schema {
  if (schema.$ref !== undefined) return { anyOf: [schema, { type: 'null' }] };
  if (schema.type === undefined) return schema;
  const values = schema.enum && { enum: [...schema.enum, null] };
  return { ...schema, type: [schema.type, 'null'].flat(), ...values };
}

/** Returns the definitions that `part` reaches, in alphabetical order. */
export function reachable(part: unknown, all: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const found = new Set<string>();
  const visit = (value: unknown) => {
    for (const [, id = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(id)) continue;
      found.add(id);
      visit(all[id]);
    }
  };
  visit(part);
  return Object.fromEntries(
    Object.entries(all)
      .filter(([id]) => found.has(id))
      .toSorted(byName),
  );
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Drops what Zod adds and the API does not say, and writes null in one form. */
function rewrite(schema: Schema): Schema {
  const { $schema, $id, propertyNames, anyOf, minimum, maximum, ...rest } = withSchemas(schema, rewrite);
  const bounds = { ...(isBound(minimum) && { minimum }), ...(isBound(maximum) && { maximum }) };
  const [only, ...others] = (anyOf ?? []).filter((branch) => branch.type !== 'null');
  if (others.length > 0) throw new Error('the wire has no unions');
  return only ? { ...rest, ...nullable(only) } : { ...rest, ...bounds };
}

/** Applies a change to the schemas inside of a schema. */
export function withSchemas(schema: Schema, change: (inner: Schema) => Schema): Schema {
  const { anyOf, properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(properties && { properties: mapValues(properties, change) }),
    ...(items && { items: change(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
  };
}

/** Zod adds the bounds of the safe integers of JavaScript. They are no rule of the API. */
function isBound(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) !== Number.MAX_SAFE_INTEGER;
}

export function mapValues<A, B>(from: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));
}
