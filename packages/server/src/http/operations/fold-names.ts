import { z } from 'zod';

/**
 * Gives members the names of the schema when they differ only in case, because existing clients send such names. If two members
 * get the same name, the last one counts. What a schema leaves open, such as tags, keeps its names.
 */
export function foldNames(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return foldNames(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((element) => foldNames(schema.element, element));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  const names = namesOf(schema);
  const folded: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const known = names.get(name.toLowerCase()) ?? name;
    folded[known] = foldNames(schema.shape[known], member);
  }
  return folded;
}

const namesBySchema = new WeakMap<z.ZodObject, ReadonlyMap<string, string>>();

/** The names of the members of an object by their form in lower case. */
function namesOf(schema: z.ZodObject): ReadonlyMap<string, string> {
  const known = namesBySchema.get(schema);
  if (known) return known;
  const names = new Map(Object.keys(schema.shape).map((name) => [name.toLowerCase(), name]));
  namesBySchema.set(schema, names);
  return names;
}
