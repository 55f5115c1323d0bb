import type { Field } from '@edge-controller/shared-types';
import { bare } from '@edge-controller/shared-types';
import { z } from 'zod';
import type { ValueType } from '../core/filter/page.ts';

/** How a column stores a value of an entity. */
export interface Codec {
  readonly column: 'text' | 'integer' | 'bigint' | 'double precision';
  readonly type: ValueType;
  readonly isJson: boolean;
  readonly encode: (value: unknown) => unknown;
  readonly decode: (value: unknown) => unknown;
}

const same = (value: unknown) => value;
const text: Codec = { column: 'text', type: 'string', isJson: false, encode: same, decode: same };
const date: Codec = { ...text, type: 'datetime' };
const integer: Codec = { column: 'integer', type: 'number', isJson: false, encode: same, decode: same };
const bigint: Codec = { ...integer, column: 'bigint' };
const double: Codec = { ...integer, column: 'double precision' };
const boolean: Codec = {
  column: 'integer',
  type: 'boolean',
  isJson: false,
  encode: Number,
  decode: (value) => value === 1,
};
const json: Codec = {
  ...text,
  isJson: true,
  encode: (value) => JSON.stringify(value),
  decode: (value) => JSON.parse(String(value)),
};

/**
 * Booleans are 0 or 1, dates and strings text, whole numbers integers of 32 or 64 bits, all other numbers doubles.
 * Everything else is JSON.
 */
export function codecOf(schema: z.ZodType): Codec {
  const plain = bare(schema);
  if (plain instanceof z.ZodBoolean) return boolean;
  if (plain instanceof z.ZodNumber && plain.format === null) return double;
  if (plain instanceof z.ZodNumber) return isInt32(plain) ? integer : bigint;
  if (plain instanceof z.ZodString) return plain.meta()?.format === 'date-time' ? date : text;
  return plain instanceof z.ZodEnum ? text : json;
}

// PostgreSQL refuses a longer value in an integer column.
function isInt32({ minValue, maxValue }: z.ZodNumber): boolean {
  return (minValue ?? -Infinity) >= -(2 ** 31) && (maxValue ?? Infinity) < 2 ** 31;
}

/** The schema of a member of a group: `['updb', 'maxAttempts']`. */
export function memberSchema(field: Field, path: readonly string[]): z.ZodType {
  return path.reduce<z.ZodType>((schema, name) => {
    const plain = bare(schema);
    const member = plain instanceof z.ZodObject ? (plain.shape as Record<string, z.ZodType>)[name] : undefined;
    if (!member) throw new Error(`the group has no member ${path.join('.')}`);
    return member;
  }, field.schema);
}

/** True for a field that has a column in the table of the entity. */
export function isColumn({ kind }: Field): boolean {
  return kind === 'value' || kind === 'group' || kind === 'reference';
}

/** True for a field that has a table of its own, `<entity>_<field>(ownerId, value)`. */
export function isSet({ kind }: Field): boolean {
  return kind === 'attributes' || kind === 'references' || kind === 'roles';
}

/** True for a field whose column has texts. They are a set, too. */
export function hasTexts({ schema }: Field): boolean {
  const plain = bare(schema);
  return plain instanceof z.ZodArray && plain.element instanceof z.ZodString;
}

export function setTable(entity: string, field: string): string {
  return `${entity}_${field}`;
}
