import { z } from 'zod';
import { define } from '../definitions.ts';

/** One outstanding authentication query of an API session (specification 2.3). */
export const authQueryDetail = define(
  'authQueryDetail',
  z.object({
    typeId: z.string().optional(),
    provider: z.string(),
    format: z.string().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    httpMethod: z.string().optional(),
    httpUrl: z.string().optional(),
    id: z.string().optional(),
    clientId: z.string().optional(),
    scopes: z.array(z.string()).nullable(),
  }),
);

export type AuthQueryDetail = z.output<typeof authQueryDetail>;
