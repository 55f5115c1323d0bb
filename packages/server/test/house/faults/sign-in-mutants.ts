import { accountMutants } from './account-mutants.ts';
import { auditMutants, signOutMutants } from './audit-mutants.ts';
import { lifetimeMutants } from './lifetime-mutants.ts';
import { limitMutants } from './limit-mutants.ts';
import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';
import { peerMutants } from './peer-mutants.ts';
import { policyMutants, revocationMutants } from './policy-mutants.ts';
import { rightsMutants } from './rights-mutants.ts';
import { routerMutants } from './router-mutants.ts';
import { serviceUpdateMutants } from './service-update-mutants.ts';
import { sessionMutants } from './session-mutants.ts';
import { tokenMutants } from './token-mutants.ts';

const authentication = 'sign-in/authentication/authenticate.ts';
const cert = 'sign-in/authentication/methods/cert/cert.ts';
const extJwt = 'sign-in/authentication/methods/ext-jwt.ts';
const password = 'sign-in/authentication/methods/password.ts';
const attempts = 'credentials/passwords/password-attempts.ts';
const sessions = 'sessions/sessions.ts';
const signIns = ['authenticate.test', 'auth-policy-sessions', 'lockout'];
const jwtSignIns = ['ext-jwt-sign-in', 'ext-jwt-attacks', 'ext-jwt-secondary', 'external-jwts.test'];
const certificateSignIns = ['certificate-sign-in.test', 'certificate-sign-in-cas', 'bound-sessions'];
const noSession = /leaves? no (API )?session|opens no lasting session|nobody signs in by a signer that gets/;

/** The whole of a sign-in is refused, so that no session is left of anything. */
const refusals: readonly SignInMutant[] = [
  {
    mutant: 'refuses every JWT',
    mutations: change(extJwt, 'if (proof.holder) return', 'if (proof.holder === undefined) return'),
    tests: ['ext-jwt-races', 'ext-jwt-replicas', 'external-jwt-signers-sessions'],
    cases: noSession,
  },
  {
    mutant: 'refuses every certificate',
    mutations: change(cert, 'if (!leaf) throw', 'if (!leaf || leaf) throw'),
    tests: ['certificate-sign-in.test', 'certificate-sign-in-cas', 'cas-effects'],
    cases: noSession,
  },
  {
    mutant: 'refuses every password',
    mutations: change(password, "if (!found || verdict !== 'right') {", "if (!found || verdict !== 'not compared') {"),
    tests: ['authenticate.test'],
    cases: noSession,
  },
];

const delays = 'credentials/passwords/password-delays.ts';

/** Each lets somebody guess more often, or keeps the owner out. */
const guesses: readonly SignInMutant[] = [
  {
    mutant: 'counts wrong passwords that come too soon',
    mutations: change(delays, 'or "passwordDelays"."nextAt" <=', 'or "passwordDelays"."nextAt" >='),
    tests: ['password-delays'],
  },
  {
    mutant: 'lets a right password pass beside too many wrong ones',
    mutations: change(password, 'readDelay(call, keys, now).wait > 0', 'false'),
    tests: ['password-delays'],
  },
  {
    mutant: 'knows no address',
    mutations: change(delays, 'const isKnown = own.knownUntil > now', 'const isKnown = own.knownUntil < 0'),
    tests: ['password-delays'],
  },
  {
    mutant: 'knows every address for ever',
    mutations: change(delays, 'const isKnown = own.knownUntil > now', 'const isKnown = own.knownUntil > 0'),
    tests: ['password-delays'],
  },
  {
    mutant: 'takes each IPv6 address as a network of its own',
    mutations: change('http/operations/handler.ts', 'addressGroup(ctx.ip)', 'ctx.ip'),
    tests: ['password-delays'],
  },
];

const openings: readonly SignInMutant[] = [
  {
    mutant: 'opens a session although the credentials changed meanwhile',
    mutations: change(
      authentication,
      'const isStillValid = isUnchanged ||',
      'const isStillValid = isUnchanged || true ||',
    ),
    tests: ['ext-jwt-races', 'authenticate.test', 'certificate-sign-in-cas'],
  },
  {
    mutant: 'opens a session although its method is not allowed now',
    mutations: change(authentication, 'if (!principal || !state?.isAllowed) {', 'if (!principal || !state) {'),
    tests: [...jwtSignIns, ...signIns],
  },
  {
    mutant: 'keeps a session that nobody has the token of',
    mutations: change(authentication, 'await call.sessions.remove(key);', ''),
    tests: ['ext-jwt-races', 'authenticate.test', 'certificate-sign-in.test', 'certificate-sign-in-cas'],
  },
  {
    mutant: 'takes every password',
    mutations: change(attempts, 'const isRight = await', 'const isRight = true || await'),
    tests: signIns,
  },
  {
    mutant: 'takes passwords where the policy forbids them',
    mutations: change(password, "return found.allowed ? null : 'method not allowed';", 'return null;'),
    tests: [...signIns, 'auth-policies'],
  },
  {
    mutant: 'takes passwords of disabled identities',
    mutations: change(password, "if (isDisabled(found, now)) return 'identity disabled';", ''),
    tests: ['authenticate.test', 'lockout', 'identities.test'],
  },
  {
    mutant: 'locks one wrong password too late',
    mutations: change(attempts, 'failed >= account.maxAttempts', 'failed > account.maxAttempts'),
    tests: ['lockout'],
  },
  {
    mutant: 'never locks',
    mutations: change(attempts, 'if (failed >= account.maxAttempts) await lockOut(unit, account);', 'lockOut;'),
    tests: ['lockout'],
  },
  {
    mutant: 'leaves the sessions of an identity that it locks',
    mutations: change(attempts, "await unit.affect({ kind: 'endSessions', identityId });", ''),
    tests: ['lockout'],
  },
  {
    mutant: 'counts wrong passwords on after a right one',
    mutations: change(
      attempts,
      "await resetFailedAttempts(tx, account.identityId);\n    return 'right';",
      "return 'right';",
    ),
    tests: ['lockout'],
  },
];

const certificates: readonly SignInMutant[] = [
  {
    mutant: 'takes certificates where the policy forbids them',
    mutations: change(cert, "if (!allowed) return 'method not allowed';", ''),
    tests: certificateSignIns,
  },
  {
    mutant: 'takes certificates of disabled identities',
    mutations: change(cert, "if (isDisabled(holder, clock())) return 'identity disabled';", ''),
    tests: certificateSignIns,
  },
  {
    mutant: 'takes expired certificates',
    mutations: change(
      cert,
      "certificate.dates === 'expired' && !allowExpiredCerts",
      "certificate.dates === 'expired' && !allowed",
    ),
    tests: certificateSignIns,
  },
  {
    mutant: 'takes certificates that are not valid yet',
    mutations: change(cert, "if (certificate.dates === 'not-yet-valid') return 'certificate not yet valid';", ''),
    tests: certificateSignIns,
  },
  {
    mutant: 'takes another certificate with the same fingerprint',
    mutations: change(
      cert,
      "if (isAnother(certificate, holder.authenticator)) return 'another certificate with the same fingerprint';",
      'isAnother;',
    ),
    tests: certificateSignIns,
  },
  {
    mutant: 'opens a session by a certificate whose CA was switched off meanwhile',
    mutations: change(
      cert,
      'if (!isSame || trusted?.authVersion !== ca?.authVersion) return false;',
      'if (!isSame && trusted) return false;',
    ),
    tests: certificateSignIns,
  },
  {
    mutant: 'takes a certificate of the network for one of any CA',
    mutations: change(
      cert,
      'if (byNetwork.client && !isOfOther(byNetwork.client, enrolled)) return byNetwork;',
      'if (byNetwork.client) return byNetwork;\n  isOfOther;',
    ),
    tests: certificateSignIns,
  },
  {
    mutant: 'answers a bound session on any connection',
    mutations: change(
      sessions,
      'if (isBound && !(await hasOwnCertificate(dependencies, stored, credentials))) return null;',
      'isBound;\n  hasOwnCertificate;',
    ),
    tests: ['bound-sessions'],
  },
  {
    mutant: 'leaves the sessions of a CA that is switched off',
    mutations: change(
      'entities/cas/cas.ts',
      'if (previous && next.authVersion !== previous.authVersion) {',
      'if (!previous && next.authVersion !== 0) {',
    ),
    tests: ['certificate-sign-in-cas', 'cas-effects'],
  },
  {
    mutant: 'does not raise the version of a CA that is switched off',
    mutations: change('entities/cas/cas.ts', '(endsSignIns ? 1 : 0)', '(endsSignIns ? 0 : 0)'),
    tests: ['certificate-sign-in-cas', 'cas-effects'],
  },
  {
    mutant: 'leaves the sessions of a CA that is deleted',
    mutations: change(
      'entities/cas/cas.ts',
      "beforeDelete: ({ unit }, { id }) => unit.affect({ kind: 'endCaSessions', caId: id }),",
      '',
    ),
    tests: ['certificate-sign-in-cas', 'cas-effects'],
  },
];

const factors: readonly SignInMutant[] = [
  {
    mutant: 'asks for no TOTP that is enrolled',
    mutations: change(
      'sign-in/authentication/queries/totp/totp-query.ts',
      'mfaId !== null || secondary.requireTotp',
      'secondary.requireTotp',
    ),
    tests: ['totp.test', 'totp-partial', 'auth-state'],
  },
  {
    mutant: 'asks for no TOTP that the policy requires',
    mutations: change(
      'sign-in/authentication/queries/totp/totp-query.ts',
      'mfaId !== null || secondary.requireTotp',
      'mfaId !== null',
    ),
    tests: ['totp.test', 'totp-partial', 'auth-state'],
  },
  {
    mutant: 'takes the answer for a TOTP that was replaced',
    mutations: change(
      'sign-in/authentication/queries/totp/totp-query.ts',
      'mfaId === null || provenMfaId !== mfaId',
      'mfaId === null || provenMfaId === null',
    ),
    tests: ['totp.test', 'totp-partial', 'totp-races', 'auth-state'],
  },
  {
    mutant: 'takes codes for a TOTP that is not verified',
    mutations: change(
      'sign-in/authentication/queries/totp/answer-mfa.ts',
      'if (mfa?.isVerified !== 1) throw notEnrolled();',
      'if (!mfa) throw notEnrolled();',
    ),
    tests: ['totp.test', 'totp-partial', 'totp-codes'],
  },
  {
    mutant: 'gives one more attempt',
    mutations: change(
      'credentials/mfas/attempts.ts',
      "eb('attempts', '<', settings.totpAttempts),",
      "eb('attempts', '<=', settings.totpAttempts),",
    ),
    tests: ['totp-races', 'totp-codes'],
  },
  {
    mutant: 'gives new attempts a moment too early',
    mutations: change(
      'credentials/mfas/attempts.ts',
      'const windowStart = isoTime(now - settings.totpAttemptWindow);',
      'const windowStart = isoTime(now - settings.totpAttemptWindow + 1);',
    ),
    tests: ['totp-races', 'totp-codes', 'totp.test'],
  },
  {
    mutant: 'takes codes of a step too long ago',
    mutations: change(
      'sign-in/authentication/queries/totp/totp.ts',
      'length: 2 * tolerance + 1 }, (_, index) => latestStep(now) - 2 * tolerance + index',
      'length: 2 * tolerance + 2 }, (_, index) => latestStep(now) - 2 * tolerance - 1 + index',
    ),
    tests: ['totp-codes', 'totp.test'],
  },
  {
    mutant: 'asks for no JWT that the policy requires',
    mutations: change(
      'sign-in/authentication/queries/ext-jwt.ts',
      'isRequired: (facts) => signerIdOf(facts) !== null',
      "isRequired: (facts) => signerIdOf(facts) === ''",
    ),
    tests: ['ext-jwt-secondary', 'auth-state'],
  },
];

export const signInMutants: readonly SignInMutant[] = [
  ...refusals,
  ...openings,
  ...guesses,
  ...accountMutants,
  ...certificates,
  ...tokenMutants,
  ...revocationMutants,
  ...signOutMutants,
  ...auditMutants,
  ...factors,
  ...policyMutants,
  ...rightsMutants,
  ...routerMutants,
  ...limitMutants,
  ...peerMutants,
  ...sessionMutants,
  ...lifetimeMutants,
  ...serviceUpdateMutants,
];
