import { z } from 'zod';
import { hour, minute, second, setting } from './setting.ts';
import { boolean, duration, integer, list, text } from './values.ts';

/** The default administrator, passwords, limits of attempts and TOTP. */
export const signInSettings = {
  /** User name of a new default administrator. A later change of this setting does not rename the administrator. */
  adminUsername: setting({
    key: 'edge.admin.username',
    env: 'EDGE_ADMIN_USERNAME',
    default: 'admin',
    ...text(/^.{4,100}$/s, '4 to 100 characters'),
    description:
      'User name of a new default administrator. A later change of this setting does not rename the administrator.',
  }),
  /** Password for a new default administrator and for a password reset. `null`: a password is generated. */
  adminPassword: setting({
    key: 'edge.admin.password',
    env: 'EDGE_ADMIN_PASSWORD',
    secret: true,
    default: null,
    ...text(/^.{8,100}$/s, '8 to 100 characters'),
    description:
      'Password of the default administrator. It is used only on the first start and by `admin reset-password`. Default: a password is generated and printed once.',
  }),
  /** Whether identities with rights sign in with a second factor, whatever their auth policies say. */
  adminRequireSecondFactor: setting({
    key: 'edge.admin.requireSecondFactor',
    env: 'EDGE_ADMIN_REQUIRE_SECOND_FACTOR',
    isLive: true,
    default: false,
    ...boolean,
    description:
      'Ask all administrators, and all identities with permissions, for a second factor, whatever their auth policies say. Who has no TOTP and no policy that asks for a JWT enrolls a TOTP at the next sign-in.',
  }),
  /** Whether a password that somebody else has set must be changed before its owner can do anything else. */
  changeInitialPasswords: setting({
    key: 'edge.passwords.changeInitial',
    env: 'EDGE_CHANGE_INITIAL_PASSWORDS',
    isLive: true,
    default: false,
    ...boolean,
    description:
      'Ask for a new password at the sign-in with one that an administrator has set, that was generated, or that is in the settings. Until then its API session can do nothing else.',
  }),
  /** Whether new passwords that are common, or made of names, are refused. */
  refuseCommonPasswords: setting({
    key: 'edge.passwords.refuseCommon',
    env: 'EDGE_REFUSE_COMMON_PASSWORDS',
    isLive: true,
    default: true,
    ...boolean,
    description:
      'Refuse new passwords that are among the most common 100,000, and those with fewer than 8 characters besides the user name, the names of the network and the product, and `edge.passwords.words`.',
  }),
  /** Further words that do not count in a new password. */
  passwordWords: setting<readonly string[]>({
    key: 'edge.passwords.words',
    env: 'EDGE_PASSWORD_WORDS',
    isLive: true,
    default: [],
    ...list(z.string().regex(/^[^\0]{3,100}$/), 'words of 3 to 100 characters, separated by commas'),
    description:
      'Further words that people would guess, such as the name of the company. A new password that contains one needs 8 other characters.',
  }),
  /** Path of a file with the SHA-1 of breached passwords. `null`: there is none. */
  breachedPasswords: setting<string | null>({
    key: 'edge.passwords.breachedFile',
    env: 'EDGE_BREACHED_PASSWORDS',
    default: null,
    ...text(/^[^\0]+$/, 'a path'),
    description:
      'File with breached passwords, which are refused as new ones: lines that begin with a SHA-1 in hexadecimal, sorted, as the lists of Have I Been Pwned are. It is searched on the disk, so it may be large.',
  }),
  /** Wrong passwords for a user name after which each further attempt must wait. 0: no attempt waits. */
  passwordAttempts: setting({
    key: 'edge.passwords.attempts',
    env: 'EDGE_PASSWORD_ATTEMPTS',
    isLive: true,
    default: 10,
    ...integer(0, 1_000_000),
    description:
      'Wrong passwords for a user name, from everywhere together, after which the next attempt must wait: 1 s, and twice as long after each further one, up to 15 minutes. Addresses from which the account has signed in within 30 days are counted each for itself. 0: no attempt waits.',
  }),
  /** How many passwords are hashed at the same time. 0: the number of cores. */
  hashConcurrency: setting({
    key: 'edge.passwords.concurrency',
    env: 'EDGE_HASH_CONCURRENCY',
    isLive: true,
    default: 0,
    ...integer(0, 128),
    description: 'How many passwords are hashed at the same time. 0: the number of cores.',
  }),
  /** How many passwords may wait to be hashed. For one more the response is 429. */
  hashQueue: setting({
    key: 'edge.passwords.queue',
    env: 'EDGE_HASH_QUEUE',
    isLive: true,
    default: 16,
    ...integer(0, 10_000),
    description: 'How many passwords may wait to be hashed. For one more the response is 429 with `Retry-After`.',
  }),
  /** Attempts per second and client address, for operations that check credentials. 0: no limit. */
  signInRate: setting({
    key: 'web.signInRate',
    env: 'EDGE_SIGN_IN_RATE',
    isLive: true,
    default: 10,
    ...integer(0, 100_000),
    description:
      'Attempts to sign in, answer a query, enroll or change a password, per second and client address. 0: no limit.',
  }),
  /** Attempts that one client address may make at once. More than `signInRate` at once are possible once a minute. */
  signInBurst: setting({
    key: 'web.signInBurst',
    env: 'EDGE_SIGN_IN_BURST',
    isLive: true,
    default: 30,
    ...integer(1, 100_000),
    description:
      'Attempts that one client address may make at once. More than `web.signInRate` at once are possible once a minute.',
  }),
  /** Issuer that authenticator apps show. */
  totpIssuer: setting({
    key: 'edge.totp.issuer',
    env: 'EDGE_TOTP_ISSUER',
    isLive: true,
    default: 'Edge Controller',
    ...text(/^[^:\0]{1,100}$/, '1 to 100 characters without a colon'),
    description: 'Issuer that authenticator apps show.',
  }),
  /** Account that authenticator apps show. `{name}` and `{id}` are replaced by those of the identity. */
  totpLabel: setting({
    key: 'edge.totp.label',
    env: 'EDGE_TOTP_LABEL',
    isLive: true,
    default: '{name}',
    ...text(/^[^:\0]{1,200}$/, '1 to 200 characters without a colon'),
    description: 'Account that authenticator apps show. `{name}` and `{id}` are replaced by those of the identity.',
  }),
  /** Number of wrong TOTP and recovery codes after which an identity must wait. */
  totpAttempts: setting({
    key: 'edge.totp.attempts',
    env: 'EDGE_TOTP_ATTEMPTS',
    isLive: true,
    default: 10,
    ...integer(1, 1_000),
    description:
      'Number of wrong TOTP and recovery codes, in all sessions of an identity, after which the identity must wait for the attempt window.',
  }),
  /** Milliseconds after the last wrong code when the count of wrong codes is reset. */
  totpAttemptWindow: setting({
    key: 'edge.totp.attemptWindow',
    env: 'EDGE_TOTP_ATTEMPT_WINDOW',
    isLive: true,
    default: 15 * minute,
    ...duration(second, 24 * hour, '15m'),
    description: 'Time after the last wrong code when the count of wrong codes is reset.',
  }),
  /** Milliseconds after a sign-in or a TOTP code in which a session may change how its identity signs in. */
  stepUpMaxAge: setting({
    key: 'edge.stepUp.maxAge',
    env: 'EDGE_STEP_UP_MAX_AGE',
    isLive: true,
    default: 5 * minute,
    ...duration(second, 365 * 24 * hour, '5m'),
    description:
      'Time after a sign-in or a TOTP code in which an API session may change how its own identity signs in: its passwords, certificates, enrollments, external id and TOTP. After it, the response is 401 `STEP_UP_REQUIRED` until the session sends a code, or the client signs in again.',
  }),
  /** Whether the same is asked for what gives rights and trust. */
  stepUpAdministration: setting({
    key: 'edge.stepUp.administration',
    env: 'EDGE_STEP_UP_ADMINISTRATION',
    isLive: true,
    default: false,
    ...boolean,
    description:
      'Ask for the same before an API session gives rights, changes how identities with rights sign in, or changes a CA, an external JWT signer or an auth policy.',
  }),
};
