import { z } from 'zod';

export type Strip = (value: unknown) => unknown;

/**
 * Makes a function that drops every member which `schema` does not name, and every object in the place of a plain value. It
 * returns a value without such members as it is. `null`: the schema allows any value.
 *
 * @throws Error for a kind of schema that it cannot strip; `name` says where
 */
export function compileStrip(schema: unknown, name: string): Strip | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return compileStrip(schema.unwrap(), name);
  if (schema instanceof z.ZodArray) return stripArray(compileStrip(schema.element, `${name}[]`));
  if (schema instanceof z.ZodRecord) return stripRecord(compileStrip(schema.valueType, `${name}{}`));
  if (schema instanceof z.ZodObject && isClosed(schema)) return stripObject(schema, name);
  if (schema instanceof z.ZodAny || schema instanceof z.ZodUnknown) return null;
  if (plainSchemas.some((kind) => schema instanceof kind)) return stripPlain;
  const kind = schema instanceof z.ZodType ? schema.def.type : typeof schema;
  throw new Error(`${name}: a response schema of the kind "${kind}" cannot be stripped`);
}

const plainSchemas = [z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral, z.ZodNull, z.ZodStringFormat];

/** False for a `looseObject` and a `catchall`: they allow members that they do not name. */
function isClosed(schema: z.ZodObject): boolean {
  return schema.def.catchall === undefined || schema.def.catchall instanceof z.ZodNever;
}

function stripPlain(value: unknown): unknown {
  return isPlain(value) ? value : undefined;
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Many operations have the same schemas in their responses. */
const strips = new WeakMap<z.ZodObject, Strip>();

function stripObject(schema: z.ZodObject, name: string): Strip {
  const known = strips.get(schema);
  if (known) return known;
  const members = new Map(
    Object.entries(schema.shape).map(([key, member]) => [key, compileStrip(member, `${name}.${key}`)]),
  );
  const strip: Strip = (value) => stripMembers(value, members, undefined);
  strips.set(schema, strip);
  return strip;
}

function stripRecord(strip: Strip | null): Strip {
  return (value) => stripMembers(value, noMembers, strip);
}

const noMembers: ReadonlyMap<string, Strip | null> = new Map();

/** `others` strips the members that are not in `members`; `undefined` drops them. */
function stripMembers(
  value: unknown,
  members: ReadonlyMap<string, Strip | null>,
  others: Strip | null | undefined,
): unknown {
  if (isPlain(value) || Array.isArray(value)) return stripPlain(value);
  const source = value as Record<string, unknown>;
  let copy: Record<string, unknown> | undefined;
  for (const key in source) {
    const strip = members.get(key) ?? (members.has(key) ? null : others);
    const member = source[key];
    // Most members are plain values: they need no call.
    if (strip === null || (strip === stripPlain && isPlain(member))) continue;
    const kept = strip?.(member);
    if (kept === member) continue;
    copy ??= { ...source };
    // JSON leaves undefined members out.
    copy[key] = kept;
  }
  return copy ?? value;
}

function stripArray(strip: Strip | null): Strip {
  return (value) => {
    if (!Array.isArray(value)) return stripPlain(value);
    const kept = strip === null ? value : value.map(strip);
    return kept.every((element, index) => element === value[index]) ? value : kept;
  };
}
