import { z } from 'zod';
import { invalidField } from '../api-error.ts';
import { fieldError, fieldName } from './field-error.ts';

/** Of these, when repeated, the first counts; of all others the last. */
const firstCounts = new Set(['limit', 'offset', 'filter', 'sort']);

/** Makes the reader of an operation's query: text → checked values. Empty parameters count as absent. */
export function compileQuery(schema: z.ZodObject): (query: string) => unknown {
  const integers = new Set(Object.keys(schema.shape).filter((name) => isNumber(schema.shape[name])));
  return (query) => {
    const values: Record<string, string> = {};
    for (const [name, value] of new URLSearchParams(query)) {
      if (!Object.hasOwn(schema.shape, name) || value === '') continue;
      if (firstCounts.has(name) && Object.hasOwn(values, name)) continue;
      values[name] = value;
    }
    for (const name of integers) {
      const value = values[name];
      if (value !== undefined && !isInteger(value)) {
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

function isNumber(schema: unknown): boolean {
  return schema instanceof z.ZodOptional ? isNumber(schema.unwrap()) : schema instanceof z.ZodNumber;
}
