import { z } from 'zod';

/**
 * A text of a closed set, as clients and documents see it. The server takes any text: its handler refuses others, with an error
 * of its own or in an order of the wire.
 */
export function oneOf<const V extends readonly [string, ...string[]]>(...values: V): z.ZodType<V[number]> {
  return z.string().meta({ enum: values }) as unknown as z.ZodType<V[number]>;
}
