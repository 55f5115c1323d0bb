import { z } from 'zod';
import { define } from '../definitions.ts';
import { ofKinds } from '../kinds.ts';

const scopes = z.array(z.string()).nullable();

/** Asks for a TOTP code or a recovery code. */
const mfaAuthQuery = define(
  'mfaAuthQuery',
  z.object({
    typeId: z.enum(['MFA']),
    provider: z.enum(['ziti']),
    format: z.enum(['numeric', 'alpha', 'alphaNumeric']),
    minLength: z.number().int(),
    maxLength: z.number().int(),
    httpMethod: z.enum(['POST']),
    /** Where the answer goes, relative to the root of the API. */
    httpUrl: z.string(),
    scopes,
    /** Whether the identity has a TOTP. When false, it must enroll one. Older controllers do not send it. */
    isTotpEnrolled: z.boolean().optional(),
  }),
);

/** Asks for a JWT of an external signer. */
const extJwtAuthQuery = define(
  'extJwtAuthQuery',
  z.object({
    typeId: z.enum(['EXT-JWT']),
    provider: z.enum(['url']),
    /** The id of the signer. */
    id: z.string(),
    /** Where the person logs in. */
    httpUrl: z.string().optional(),
    /** The client of the signer at its provider. */
    clientId: z.string().optional(),
    /** The scopes to ask the provider for. */
    scopes,
  }),
);

/** Asks for a new password in place of one that somebody else has set. */
const newPasswordAuthQuery = define(
  'newPasswordAuthQuery',
  z.object({
    typeId: z.enum(['NEW-PASSWORD']),
    provider: z.enum(['ziti']),
    /** The id of the authenticator that has the password. */
    id: z.string(),
    minLength: z.number().int(),
    maxLength: z.number().int(),
    httpMethod: z.enum(['PATCH']),
    /** Where the present and the new password go, relative to the root of the API. */
    httpUrl: z.string(),
    scopes,
  }),
);

/**
 * One outstanding authentication query of an API session. `typeId` distinguishes the kinds. A newer controller may send
 * further ones.
 */
export const authQueryDetail = define('authQueryDetail', ofKinds(mfaAuthQuery, extJwtAuthQuery, newPasswordAuthQuery));

export type AuthQueryDetail = z.output<typeof authQueryDetail>;
