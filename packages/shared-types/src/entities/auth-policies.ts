import { z } from 'zod';
import { define } from '../definitions.ts';
import { entityOperations } from '../entity.ts';
import { baseEntity, tags } from '../envelope.ts';
import { defineResource } from '../operation.ts';

const count = z.number().int().max(1_000_000);

/** Rules for x509 client certificates. */
export const authPolicyPrimaryCert = define(
  'authPolicyPrimaryCert',
  z.object({ allowed: z.boolean(), allowExpiredCerts: z.boolean() }),
);

/** Rules for JWTs of external signers. When `allowedSigners` is empty, all enabled signers are allowed. */
export const authPolicyPrimaryExtJwt = define(
  'authPolicyPrimaryExtJwt',
  z.object({ allowed: z.boolean(), allowedSigners: z.array(z.string()).max(100) }),
);

/**
 * Rules for user names and passwords. A `minPasswordLength` below 5 is stored as 5. After `maxAttempts` wrong
 * passwords in a row, the identity is disabled for `lockoutDurationMinutes`. With 0 attempts it is never disabled.
 * With 0 minutes it stays disabled until an administrator enables it.
 */
export const authPolicyPrimaryUpdb = define(
  'authPolicyPrimaryUpdb',
  z.object({
    allowed: z.boolean(),
    minPasswordLength: z.number().int().max(100),
    requireSpecialChar: z.boolean(),
    requireNumberChar: z.boolean(),
    requireMixedCase: z.boolean(),
    maxAttempts: count,
    lockoutDurationMinutes: count,
  }),
);

export const authPolicyPrimary = define(
  'authPolicyPrimary',
  z.object({ cert: authPolicyPrimaryCert, extJwt: authPolicyPrimaryExtJwt, updb: authPolicyPrimaryUpdb }),
);

/** Required second factors. `requireExtJwtSigner` is the id of a signer. When it is absent, no JWT is required. */
export const authPolicySecondary = define(
  'authPolicySecondary',
  z.object({ requireTotp: z.boolean(), requireExtJwtSigner: z.string().nullish() }),
);

const primaryPatch = define(
  'authPolicyPrimaryPatch',
  z.object({
    cert: define(
      'authPolicyPrimaryCertPatch',
      z.object({ allowed: z.boolean().nullish(), allowExpiredCerts: z.boolean().nullish() }),
    ).nullish(),
    extJwt: define(
      'authPolicyPrimaryExtJwtPatch',
      z.object({ allowed: z.boolean().nullish(), allowedSigners: z.array(z.string()).max(100).nullish() }),
    ).nullish(),
    updb: define(
      'authPolicyPrimaryUpdbPatch',
      z.object({
        allowed: z.boolean().nullish(),
        minPasswordLength: z.number().int().max(100).nullish(),
        requireSpecialChar: z.boolean().nullish(),
        requireNumberChar: z.boolean().nullish(),
        requireMixedCase: z.boolean().nullish(),
        maxAttempts: count.nullish(),
        lockoutDurationMinutes: count.nullish(),
      }),
    ).nullish(),
  }),
);

/** An empty `requireExtJwtSigner` removes the requirement. */
const secondaryPatch = define(
  'authPolicySecondaryPatch',
  z.object({ requireTotp: z.boolean().nullish(), requireExtJwtSigner: z.string().nullish() }),
);

const name = z.string().max(500);

export const authPolicyCreate = define(
  'authPolicyCreate',
  z.object({ name, primary: authPolicyPrimary, secondary: authPolicySecondary, tags: tags.nullish() }),
);

export const authPolicyUpdate = define('authPolicyUpdate', z.object({ ...authPolicyCreate.shape }));

export const authPolicyPatch = define(
  'authPolicyPatch',
  z.object({
    name: name.nullish(),
    primary: primaryPatch.nullish(),
    secondary: secondaryPatch.nullish(),
    tags: tags.nullish(),
  }),
);

export const authPolicyDetail = define(
  'authPolicyDetail',
  z.object({ ...baseEntity, name: z.string(), primary: authPolicyPrimary, secondary: authPolicySecondary }),
);

export type AuthPolicyCreate = z.output<typeof authPolicyCreate>;
export type AuthPolicyUpdate = z.output<typeof authPolicyUpdate>;
export type AuthPolicyPatch = z.output<typeof authPolicyPatch>;
export type AuthPolicyDetail = z.output<typeof authPolicyDetail>;

export const authPolicies = defineResource(
  entityOperations({
    path: '/auth-policies',
    noun: 'auth policy',
    plural: 'auth policies',
    permission: 'auth-policy',
    detail: authPolicyDetail,
    create: authPolicyCreate,
    update: authPolicyUpdate,
    patch: authPolicyPatch,
  }),
);
