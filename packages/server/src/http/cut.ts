import { z } from 'zod';

export type Cut = (value: unknown) => unknown;

/**
 * Makes a function that drops every member which `schema` does not name. A value that needs no cutting is returned as it
 * is, without a copy. `null`: values of this schema never need cutting.
 */
export function compileCut(schema: unknown): Cut | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return compileCut(schema.unwrap());
  if (schema instanceof z.ZodArray) return cutArray(compileCut(schema.element));
  if (schema instanceof z.ZodRecord) return cutRecord(compileCut(schema.valueType));
  if (schema instanceof z.ZodObject) return cutObject(schema);
  return null;
}

function cutObject(schema: z.ZodObject): Cut {
  const members = new Map(Object.entries(schema.shape).map(([name, member]) => [name, compileCut(member)]));
  return (value) => {
    if (!isRecord(value)) return value;
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(value)) {
      const cut = members.get(name);
      if (cut === null) continue;
      const kept = cut?.(value[name]);
      if (kept === value[name]) continue;
      copy ??= { ...value };
      // JSON leaves undefined members out.
      copy[name] = kept;
    }
    return copy ?? value;
  };
}

function cutRecord(cut: Cut | null): Cut | null {
  if (!cut) return null;
  return (value) => {
    if (!isRecord(value)) return value;
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(value)) {
      const kept = cut(value[name]);
      if (kept === value[name]) continue;
      copy ??= { ...value };
      copy[name] = kept;
    }
    return copy ?? value;
  };
}

function cutArray(cut: Cut | null): Cut | null {
  if (!cut) return null;
  return (value) => {
    if (!Array.isArray(value)) return value;
    const kept = value.map(cut);
    return kept.every((element, index) => element === value[index]) ? value : kept;
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
