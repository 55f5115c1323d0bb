import { z } from 'zod';
import { define } from '../definitions.ts';
import { entity } from '../entity.ts';
import { group, serverSet, uniqueName } from '../field.ts';

const count = z.number().int().max(1_000_000);

/** Rules for X.509 client certificates. A certificate that is not valid yet is never allowed. */
const cert = define(
  'authPolicyPrimaryCert',
  z.object({
    allowed: z.boolean(),
    allowExpiredCerts: z.boolean(),
    /**
     * Binds API sessions to certificates. A session that a certificate has opened then works only on connections with a
     * certificate of this session: that of the sign-in, its replacement, or one that was issued in the session.
     * Default: false.
     */
    bindSessions: z.boolean().nullish(),
  }),
);

/** Rules for JWTs of external signers. When `allowedSigners` is empty, all enabled signers are allowed. */
const extJwt = define(
  'authPolicyPrimaryExtJwt',
  z.object({ allowed: z.boolean(), allowedSigners: z.array(z.string()).max(100) }),
);

/**
 * Rules for user names and passwords. A `minPasswordLength` below 5 is stored as 5. After `maxAttempts` wrong
 * passwords in a row, the identity is disabled for `lockoutDurationMinutes`. With 0 attempts it is never disabled.
 * With 0 minutes it stays disabled until an administrator enables it.
 */
const updb = define(
  'authPolicyPrimaryUpdb',
  z.object({
    allowed: z.boolean(),
    /** 5 to 100. A lower value is stored as 5. */
    minPasswordLength: z.number().int().max(100),
    requireSpecialChar: z.boolean(),
    requireNumberChar: z.boolean(),
    requireMixedCase: z.boolean(),
    /** Wrong passwords in a row that disable the identity. 0: never. */
    maxAttempts: count,
    /** 0: until an administrator enables the identity. */
    lockoutDurationMinutes: count,
  }),
);

/** Rules for the first credential of a sign-in, by its kind. */
const primary = define(
  'authPolicyPrimary',
  z.object({
    cert,
    extJwt,
    updb,
    /**
     * Minutes after the sign-in when an API session ends, however much it is used. When the controller has such a limit, too, the
     * shorter one counts. 0 stands for no limit, the default.
     */
    maxSessionMinutes: z.number().int().min(0).max(525_600).nullish(),
  }),
);

/** The members that each allow a way to sign in. */
export type PrimaryRule = Exclude<keyof z.output<typeof primary>, 'maxSessionMinutes'>;

/** Required second factors. `requireExtJwtSigner` is the id of a signer; an empty one removes the requirement. */
const secondary = define(
  'authPolicySecondary',
  z.object({ requireTotp: z.boolean(), requireExtJwtSigner: z.string().nullish() }),
);

/** Which credentials identities may use, and which second factors they need. */
export const authPolicies = entity({
  noun: 'authPolicy',
  collection: 'auth-policies',
  fields: {
    isSystem: serverSet(z.boolean(), 'none', false, 'isSystem'),
    name: uniqueName,
    primary: group(
      primary,
      'primary.cert.allowed',
      'primary.cert.allowExpiredCerts',
      'primary.updb.allowed',
      'primary.updb.minPasswordLength',
      'primary.updb.requireSpecialChar',
      'primary.updb.requireNumberChar',
      'primary.updb.requireMixedCase',
      'primary.updb.maxAttempts',
      'primary.extJwt.allowed',
    ),
    secondary: group(secondary, 'secondary.requireTotp', 'secondary.requireExtJwtSigner'),
  },
  errors: { create: ['NOT_FOUND'], update: ['LAST_ADMINISTRATOR'], patch: ['LAST_ADMINISTRATOR'] },
});
