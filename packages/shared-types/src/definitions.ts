import { z } from 'zod';

/** Every body and response schema under its name on the wire. */
export const definitions = z.registry<{ id: string }>();

/** Registers a schema under its wire name and returns it. */
export function define<S extends z.ZodType>(id: string, schema: S): S {
  definitions.add(schema, { id });
  return schema;
}
