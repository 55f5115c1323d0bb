import { definitions } from '@edge-controller/shared-types';
import { z } from 'zod';

/** A part of a document that nothing reads: a parameter, a response, an operation. */
export type Part = Readonly<Record<string, unknown>>;

/** A schema object of OpenAPI 2.0. Only the members that are read here have types. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly $ref?: string;
  readonly [member: string]: unknown;
}

const prefix = '#/definitions/';
/** With `input`, objects do not forbid unknown members: requests may have them, and later versions may send more. */
const options = { target: 'draft-04', io: 'input' } as const;

/** Returns all registered schemas by their names on the wire. */
export function printDefinitions(): Record<string, Schema> {
  const { schemas } = z.toJSONSchema(definitions, { ...options, uri: (id) => prefix + id });
  return mapValues(schemas as Record<string, Schema>, rewrite);
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
export function printParameters(place: 'path' | 'query' | 'header', schema: z.ZodObject | undefined): Part[] {
  if (!schema) return [];
  // The input of a coerced number is anything, its output is the number.
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { ...options, io: 'output' }) as Schema;
  return Object.entries(properties).map(([name, property]) => ({
    ...{ name, in: place, required: required.includes(name) },
    ...rewrite(property),
    ...(property.type === 'array' && { collectionFormat: 'multi' }),
  }));
}

export function reference(id: string): Schema {
  return { $ref: prefix + id };
}

/** Returns the definitions that `part` reaches, in alphabetical order. */
export function reachable(part: unknown, all: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const found = new Set<string>();
  const visit = (value: unknown) => {
    for (const [, id = ''] of JSON.stringify(value).matchAll(/"#\/definitions\/([^"]+)"/g)) {
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

/** Rewrites a schema of JSON Schema draft 4 to one of OpenAPI 2.0, which knows neither `null` nor unions. */
function rewrite(schema: Schema): Schema {
  const { $schema, $id, anyOf, type, properties, items, additionalProperties, minimum, maximum, ...rest } = schema;
  const [only, ...others] = (anyOf ?? []).filter((branch) => branch.type !== 'null');
  const [ownType, ...otherTypes] = [type ?? []].flat().filter((name) => name !== 'null');
  if (others.length > 0 || otherTypes.length > 0) throw new Error('OpenAPI 2.0 has no unions');
  return {
    ...(ownType && { type: ownType }),
    ...rest,
    ...(isBound(minimum) && { minimum }),
    ...(isBound(maximum) && { maximum }),
    ...(properties && { properties: mapValues(properties, rewrite) }),
    ...(items && { items: rewrite(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : rewrite(additionalProperties),
    }),
    // What stands beside a $ref does not count.
    ...(only && (only.$ref ? { allOf: [only] } : rewrite(only))),
    ...((anyOf || Array.isArray(type)) && { 'x-nullable': true }),
  };
}

/** Zod adds the bounds of the safe integers of JavaScript. They are no rule of the API. */
function isBound(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) !== Number.MAX_SAFE_INTEGER;
}

function mapValues<A, B>(from: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));
}
