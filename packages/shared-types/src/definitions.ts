import { z } from 'zod';

/** All schemas of bodies and responses by their names on the wire. */
export const definitions = z.registry<{ id: string }>();

/** Registers a schema by its name on the wire and returns it. */
export function define<S extends z.ZodType>(id: string, schema: S): S {
  definitions.add(schema, { id });
  return schema;
}

/** A schema whose kind, `def.type`, says which other members its definition has. */
export type SchemaOfAnyKind = z.core.$ZodTypes;
