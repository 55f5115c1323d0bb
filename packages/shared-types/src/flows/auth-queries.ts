import { z } from 'zod';
import { define } from '../definitions.ts';

/** One outstanding authentication query of an API session. */
export const authQueryDetail = define(
  'authQueryDetail',
  z.object({
    /** `MFA`: asks for a TOTP or recovery code. `EXT-JWT`: asks for a JWT of an external signer. */
    typeId: z.string().optional(),
    provider: z.string(),
    format: z.string().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    httpMethod: z.string().optional(),
    /** Where the answer goes, or where the person logs in. */
    httpUrl: z.string().optional(),
    /** The signer of an `EXT-JWT` query. */
    id: z.string().optional(),
    /** The client of the signer at its provider. */
    clientId: z.string().optional(),
    scopes: z.array(z.string()).nullable(),
  }),
);

export type AuthQueryDetail = z.output<typeof authQueryDetail>;
