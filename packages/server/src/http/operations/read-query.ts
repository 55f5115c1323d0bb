import { z } from 'zod';
import { invalidField } from '../../core/api-error.ts';
import { fieldError, fieldName } from './field-error.ts';

/** Reads the query of a request: text → checked values. */
export type ReadQuery = (query: string) => unknown;

/** When one of these is repeated, its first value counts. For all other parameters, the last one counts. */
const firstCounts = new Set(['limit', 'offset', 'filter', 'sort']);

/** Makes the reader of an operation's query. Empty parameters count as absent; those of an array may be repeated. */
export function compileQuery(schema: z.ZodObject): ReadQuery {
  const names = Object.keys(schema.shape);
  const integers = new Set(names.filter((name) => unwrapped(schema.shape[name]) instanceof z.ZodNumber));
  const lists = new Set(names.filter((name) => unwrapped(schema.shape[name]) instanceof z.ZodArray));
  return (query) => {
    const values: Record<string, string | string[]> = {};
    for (const [name, value] of new URLSearchParams(query)) {
      if (!Object.hasOwn(schema.shape, name) || value === '') continue;
      const known = Object.hasOwn(values, name) ? values[name] : undefined;
      if (Array.isArray(known)) known.push(value);
      else if (lists.has(name)) values[name] = [value];
      else if (known === undefined || !firstCounts.has(name)) values[name] = value;
    }
    for (const name of integers) {
      const value = values[name];
      if (typeof value === 'string' && !isInteger(value)) {
        throw invalidField(name, `${name} in query must be of type int64`, value.slice(0, 256));
      }
    }
    const result = schema.safeParse(values);
    if (result.success) return result.data;
    const [first] = result.error.issues.toSorted((a, b) => (fieldName(a) < fieldName(b) ? -1 : 1));
    throw first ? fieldError(first, values[fieldName(first)], 'query') : invalidField('query', 'is not valid');
  };
}

function isInteger(text: string): boolean {
  return /^[+-]?\d{1,19}$/.test(text) && Number.isSafeInteger(Number(text));
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema;
}
