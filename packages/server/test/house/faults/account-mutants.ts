import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const totpQuery = 'sign-in/authentication/queries/totp/totp-query.ts';
const stepUp = 'sign-in/authentication/step-up/with-step-up.ts';
const proofs = 'credentials/rights/needs-step-up.ts';
const newPassword = 'sign-in/authentication/queries/new-password.ts';
const ownPassword = 'entities/authenticators/current-identity-authenticators.ts';
const credentials = 'entities/authenticators/change-credentials.ts';
const oneFactor = 'credentials/mfas/without-second-factor.ts';

/** Each makes it easier to take over an account. */
export const accountMutants: readonly SignInMutant[] = [
  {
    mutant: 'asks no administrator for a second factor',
    mutations: change(totpQuery, 'return hasRights && settings', 'return !hasRights && settings'),
    tests: ['second-factor-of-administrators', 'auth-state.test'],
  },
  {
    mutant: 'asks for no new password',
    mutations: change(newPassword, 'settings.changeInitialPasswords &&', '!settings &&'),
    tests: ['initial-passwords', 'auth-state.test'],
  },
  {
    mutant: 'lets a session that lacks a code change the password',
    mutations: change(
      'sessions/sessions.ts',
      'state.authQueries.every(({ typeId }) => typeId === answers)',
      'state.authQueries.some(({ typeId }) => typeId === answers)',
    ),
    tests: ['sign-in/initial-passwords', 'access.test'],
  },
  {
    mutant: 'lets a session that lacks a new password change anything of its authenticator',
    mutations: change(ownPassword, '(!password || username || tags)', '!state'),
    tests: ['sign-in/initial-passwords'],
  },
  {
    mutant: 'takes the initial password for a new one',
    mutations: change(ownPassword, 'if (present?.isSetByOther && body.password)', 'if (!present && body.password)'),
    tests: ['sign-in/initial-passwords'],
  },
  {
    mutant: 'leaves the other sessions of the initial password',
    mutations: change(credentials, 'settings.changeInitialPasswords ? {', '!settings ? {'),
    tests: ['sign-in/initial-passwords'],
  },
  {
    mutant: 'takes every password for one of its owner',
    mutations: change(
      credentials,
      'const isSetByOther = identityId !== call.session.principal.id;',
      'const isSetByOther = identityId === id;',
    ),
    tests: ['sign-in/initial-passwords'],
  },
  {
    mutant: 'does not record who has read a token',
    mutations: change('sessions/api-sessions.ts', 'await Promise.all(unmarked.map(', 'await Promise.all([].map('),
    tests: ['tokens-read'],
  },
  {
    mutant: 'takes the network of the owner for another one',
    mutations: change('sessions/token-uses.ts', 'network === addressGroup(ipAddress) ||', 'network === ipAddress ||'),
    tests: ['tokens-read'],
  },
  {
    mutant: 'takes the owner of several sessions for an outsider',
    mutations: change('sessions/api-sessions.ts', 'identityId !== principal.id && tokenReadBy', 'tokenReadBy'),
    tests: ['tokens-read'],
  },
  {
    mutant: 'takes a TOTP that was never verified for a second factor',
    mutations: change(oneFactor, 'and m."isVerified" = 1', ''),
    tests: ['second-factor-of-administrators'],
  },
  {
    mutant: 'does not name whoever has permissions alone',
    mutations: change(oneFactor, 'where "permissions" is not null', 'where "isAdmin" = 1'),
    tests: ['second-factor-of-administrators'],
  },
  {
    mutant: 'asks no older session for a proof',
    mutations: change(stepUp, 'if (!isProvenLately(call)) await requireStepUp', 'if (!call) await requireStepUp'),
    tests: ['step-up.test'],
  },
  {
    mutant: 'asks administrators for no proof',
    mutations: change(
      stepUp,
      'if (owner === null) return false;',
      'if (owner === null || call.session.principal.isAdmin) return false;',
    ),
    tests: ['step-up.test'],
  },
  {
    mutant: 'takes a code of a TOTP that is gone for a proof',
    mutations: change(proofs, 'principal.mfaId !== null && record.mfaId === principal.mfaId', 'record.mfaId !== null'),
    tests: ['step-up.test'],
  },
  {
    mutant: 'takes a proof from the future',
    mutations: change(proofs, 'Math.abs(clock() - at)', 'clock() - at'),
    tests: ['step-up.test'],
  },
  {
    mutant: 'takes any certificate for the one of the session',
    mutations: change(stepUp, "&& firstCertificateOf(row?.certPem ?? '').equals(leaf)", ''),
    tests: ['step-up.test'],
  },
  {
    mutant: 'takes one factor of two for a proof',
    mutations: change(stepUp, "|| stored.method !== 'cert' || principal.mfaId !== null", "|| stored.method !== 'cert'"),
    tests: ['step-up.test'],
  },
  {
    mutant: 'shows an older session the tokens of newer ones',
    mutations: change('sessions/api-sessions.ts', '!needsStepUp(call, owner)', 'true'),
    tests: ['step-up.test'],
  },
  {
    mutant: 'takes the external id of another signer',
    mutations: change(
      'credentials/external-jwt/prove-identity.ts',
      'return isBound && found',
      'return isBound && !found',
    ),
    tests: ['ext-jwt-requirements'],
  },
  {
    mutant: 'takes the external id of another signer as a second factor',
    mutations: change(
      'credentials/external-jwt/secondary-jwt.ts',
      'only === null || only === signerId',
      'only !== signerId || only === signerId',
    ),
    tests: ['ext-jwt-requirements'],
  },
  {
    mutant: 'takes a certificate for the external id of a signer',
    mutations: change(
      'sign-in/authentication/methods/cert/holder.ts',
      '!found || found.externalIdSignerId !== null',
      '!found',
    ),
    tests: ['certificate-sign-in-cas'],
  },
  {
    mutant: 'takes a sign-in of the future',
    mutations: change('credentials/external-jwt/sign-in-checks.ts', ' && age >= -tolerance', ''),
    tests: ['ext-jwt-requirements'],
  },
  {
    mutant: 'takes one of the methods that a signer asks for',
    mutations: change('credentials/external-jwt/sign-in-checks.ts', 'required.every', 'required.some'),
    tests: ['ext-jwt-requirements'],
  },
  {
    mutant: 'takes ID tokens for access tokens',
    mutations: change(
      'credentials/external-jwt/token-kind.ts',
      'kind === null || kind === targetToken',
      "kind !== 'ACCESS'",
    ),
    tests: ['ext-jwt-requirements'],
  },
  {
    mutant: 'undoes a change of the password with an old hash',
    mutations: change(
      'credentials/passwords/password-record.ts',
      ".where('hash', '=', from)",
      ".where('hash', '<>', 'from')",
    ),
    tests: ['renewed-hashes'],
  },
  {
    mutant: 'refuses sign-ins beside a renewed hash',
    mutations: change(
      'sign-in/authentication/methods/password.ts',
      '(await awaitHash(call.passwords.verify(now.passwordHash, sent)))',
      '(await awaitHash(call.passwords.verify(now.passwordHash, sent)), false)',
    ),
    tests: ['renewed-hashes'],
  },
  {
    mutant: 'lets an enrollment live for ever',
    mutations: change(
      'entities/enrollments.ts',
      'if (expiresAt > latest)',
      'if (latest > expiresAt && expiresAt > latest)',
    ),
    tests: ['enrollments.test'],
  },
];
