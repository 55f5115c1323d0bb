import type { Mutation } from '../support/mutants.ts';

/** A broken controller, and the tests that must find it. */
export interface SignInMutant {
  /** What it does wrong. */
  readonly mutant: string;
  readonly mutations: readonly Mutation[];
  /** Names of test files. */
  readonly tests: readonly string[];
  /** Every case with such a name must fail, not only one: with this fault the case shows nothing. */
  readonly cases?: RegExp;
}

const change = (path: string, from: string, to: string): readonly Mutation[] => [
  { path: `packages/server/src/${path}`, from, to },
];

const authentication = 'authentication/authenticate.ts';
const cert = 'authentication/methods/cert/cert.ts';
const extJwt = 'authentication/methods/ext-jwt.ts';
const password = 'authentication/methods/password.ts';
const attempts = 'passwords/password-attempts.ts';
const principals = 'sessions/principals.ts';
const sessions = 'sessions/sessions.ts';
const claims = 'external-jwt/token-checks.ts';
const verifier = 'external-jwt/verify-token.ts';
const proof = 'external-jwt/prove-identity.ts';
const policy = 'sign-in-rules/auth-policy.ts';
const roles = 'crud/roles.ts';
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
      "await resetFailedAttempts(unit.tx, account.identityId);\n    return 'right';",
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
      'if (isBound && !(await hasOwnCertificate(services, stored, credentials))) return null;',
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

const tokens: readonly SignInMutant[] = [
  {
    mutant: 'takes JWTs with any signature',
    mutations: change('jwt/verify-jwt.ts', "throw new BrokenCheck('signature',", "void new BrokenCheck('signature',"),
    tests: ['ext-jwt-attacks', 'verify-jwt.test'],
  },
  {
    mutant: 'takes JWTs for any audience',
    mutations: change(claims, 'if (audience && received.includes(audience))', 'if (audience && received)'),
    tests: jwtSignIns,
  },
  {
    mutant: 'takes JWTs of a signer without an audience',
    mutations: change(
      claims,
      'if (audience && received.includes(audience))',
      "if (received.includes(audience ?? '') || !audience)",
    ),
    tests: [...jwtSignIns, 'external-jwt-signers-rules'],
  },
  {
    mutant: 'takes JWTs of disabled signers',
    mutations: change(
      claims,
      "if (enabled) return { check: 'enabled', passed: true };",
      "if (enabled || !enabled) return { check: 'enabled', passed: true };",
    ),
    tests: [...jwtSignIns, 'external-jwt-signers-sessions', 'ext-jwt-races'],
  },
  {
    mutant: 'takes a JWT of any signer for that of the policy',
    mutations: change(verifier, '(wanted !== null && wanted !== signer)', '(wanted !== null && wanted === undefined)'),
    tests: jwtSignIns,
  },
  {
    mutant: 'takes the JWT of somebody else as the second factor',
    mutations: change(
      'external-jwt/secondary-jwt.ts',
      'report.subject !== null && report.subject === own',
      'report.subject !== null || report.subject === own',
    ),
    tests: jwtSignIns,
  },
  {
    mutant: 'takes a JWT of a signer that the policy does not allow',
    mutations: change(
      policy,
      'allowedSigners.length === 0 || allowedSigners.includes(signerId)',
      'allowedSigners.length >= 0 || allowedSigners.includes(signerId)',
    ),
    tests: jwtSignIns,
  },
  {
    mutant: 'takes no JWT where the policy names no signers',
    mutations: change(policy, 'allowedSigners.length === 0 || allowedSigners', 'allowedSigners'),
    tests: jwtSignIns,
  },
  {
    mutant: 'takes JWTs where the policy forbids them',
    mutations: change(policy, 'return allowed && (', 'return (allowed || true) && ('),
    tests: [...jwtSignIns, 'auth-policies'],
  },
  {
    mutant: 'takes JWTs of disabled identities',
    mutations: change(proof, 'if (isDisabled(holder, clock())) {', 'if (isDisabled(holder, 0)) {'),
    tests: jwtSignIns,
  },
  {
    mutant: 'takes the claim for an id and an external id',
    mutations: change(
      proof,
      "const column = useExternalId ? 'externalId' : 'id';",
      "const column = useExternalId ? 'id' : 'externalId';",
    ),
    tests: jwtSignIns,
  },
  {
    mutant: 'takes JWTs at the moment at which they expire',
    mutations: change('jwt/check-times.ts', 'if (!(at < expiry + tolerance)) {', 'if (!(at <= expiry + tolerance)) {'),
    tests: ['verify-jwt', 'claims.test'],
  },
  {
    mutant: 'takes JWTs before they count',
    mutations: change(
      'jwt/check-times.ts',
      'if (notBefore !== undefined && !(at >= notBefore - tolerance)) {',
      'if (notBefore !== undefined && !(at >= notBefore - tolerance - 1)) {',
    ),
    tests: ['verify-jwt', 'claims.test'],
  },
  {
    mutant: 'takes JWTs that live too long',
    mutations: change(
      'jwt/check-times.ts',
      'const end = at + maxLifetime + tolerance;',
      'const end = at + maxLifetime + tolerance + 1;',
    ),
    tests: ['verify-jwt', 'claims.test'],
  },
  {
    mutant: 'opens a session by a signer that changed meanwhile',
    mutations: change(extJwt, '(await call.externalJwts.isUnchanged(signer, version)) &&', ''),
    tests: ['ext-jwt-races', 'ext-jwt-sign-in'],
  },
  {
    mutant: 'opens a session for an identity that has another external id meanwhile',
    mutations: change(
      extJwt,
      '(await findHolder(call, signer, subject))?.identityId === identityId,',
      'findHolder !== null,',
    ),
    tests: ['ext-jwt-races', 'ext-jwt-replicas', 'ext-jwt-sign-in'],
  },
];

const revocation: readonly SignInMutant[] = [
  {
    mutant: 'accepts sessions of a credential that was raised',
    mutations: change(
      principals,
      'if (!isOfCredential(session, found.credentials.get(session.authenticatorId))) return null;',
      'isOfCredential;',
    ),
    tests: ['fail-over', 'revocation', 'lockout', 'authenticators.test'],
  },
  {
    mutant: 'accepts sessions that have ended in SQL',
    mutations: change(principals, 'if (cached === null || hasEnded) return null;', 'if (cached === null) return null;'),
    tests: ['fail-over', 'revocation'],
  },
  {
    mutant: 'accepts sessions whose CA or signer has changed',
    mutations: change(
      principals,
      'if (found === null || (await this.#hasEndedWithIssuer(session, version))) return null;',
      'if (found === null) return null;\n    this.#hasEndedWithIssuer;',
    ),
    tests: ['ext-jwt-replicas', 'certificate-sign-in-cas', 'external-jwt-signers-sessions'],
  },
  {
    mutant: 'accepts sessions of disabled identities',
    mutations: change(principals, 'return this.#isDisabled(found) ? null : found;', 'return found;'),
    tests: ['authenticate.test', 'identities.test', 'revocation', 'sessions.test'],
  },
  {
    mutant: 'accepts sessions of identities that are disabled at a time that has come',
    mutations: change(principals, 'return this.#isDisabled(holder) ? null : holder;', 'return holder;'),
    tests: ['identities.test', 'lockout', 'wall-clock', 'sessions.test'],
  },
  {
    mutant: 'disables for a moment too long',
    mutations: change(
      'sign-in-rules/is-disabled.ts',
      'Date.parse(row.disabledUntil) > now',
      'Date.parse(row.disabledUntil) >= now',
    ),
    tests: ['lockout'],
  },
  {
    mutant: 'ends a session in the session store only',
    mutations: change('sessions/end-session.ts', 'await endedSessions.add(session.tokenHash);', ''),
    tests: ['fail-over', 'revocation'],
  },
  {
    mutant: 'tells no other controller of a session that it could not remove',
    mutations: change(
      'sessions/end-session.ts',
      "await entities.transaction((tx) => outbox.add(tx, { kind: 'changed' }));",
      '',
    ),
    tests: ['revocation', 'redis-outage'],
  },
  {
    mutant: 'serves operations of full sessions to partial ones',
    mutations: change(
      sessions,
      'const isFull = session.state.authQueries.length === 0;',
      'const isFull = session.state.authQueries.length >= 0;',
    ),
    tests: ['access', 'totp-partial'],
  },
  {
    mutant: 'serves operations of administrators to everybody',
    mutations: change(sessions, 'admin: isFull && session.principal.isAdmin,', 'admin: isFull,'),
    tests: ['access'],
  },
  {
    mutant: 'leaves the sessions of an identity that is disabled',
    mutations: change(
      'entities/identities/identity-actions.ts',
      "await unit.affect({ kind: 'endSessions', identityId: id });",
      '',
    ),
    tests: ['identities.test', 'fail-over', 'certificate-sign-in-cas'],
  },
  {
    mutant: 'disables the last administrator',
    mutations: change(
      'entities/identities/identity-actions.ts',
      'if (await isAdministrator(unit.tx, id)) {',
      'if (!(await isAdministrator(unit.tx, id))) {',
    ),
    tests: ['last-administrator'],
  },
];

const factors: readonly SignInMutant[] = [
  {
    mutant: 'asks for no TOTP that is enrolled',
    mutations: change(
      'authentication/queries/totp/totp-query.ts',
      'mfaId !== null || policy.secondary.requireTotp',
      'policy.secondary.requireTotp',
    ),
    tests: ['totp.test', 'totp-partial', 'auth-state'],
  },
  {
    mutant: 'asks for no TOTP that the policy requires',
    mutations: change(
      'authentication/queries/totp/totp-query.ts',
      'mfaId !== null || policy.secondary.requireTotp',
      'mfaId !== null',
    ),
    tests: ['totp.test', 'totp-partial', 'auth-state'],
  },
  {
    mutant: 'takes the answer for a TOTP that was replaced',
    mutations: change(
      'authentication/queries/totp/totp-query.ts',
      'mfaId === null || provenMfaId !== mfaId',
      'mfaId === null || provenMfaId === null',
    ),
    tests: ['totp.test', 'totp-partial', 'totp-races', 'auth-state'],
  },
  {
    mutant: 'takes codes for a TOTP that is not verified',
    mutations: change(
      'authentication/queries/totp/answer-mfa.ts',
      'if (mfa?.isVerified !== 1) throw notEnrolled();',
      'if (!mfa) throw notEnrolled();',
    ),
    tests: ['totp.test', 'totp-partial', 'totp-codes'],
  },
  {
    mutant: 'gives one more attempt',
    mutations: change(
      'mfas/attempts.ts',
      "eb('attempts', '<', settings.totpAttempts),",
      "eb('attempts', '<=', settings.totpAttempts),",
    ),
    tests: ['totp-races', 'totp-codes'],
  },
  {
    mutant: 'gives new attempts a moment too early',
    mutations: change(
      'mfas/attempts.ts',
      'const windowStart = isoTime(now - settings.totpAttemptWindow);',
      'const windowStart = isoTime(now - settings.totpAttemptWindow + 1);',
    ),
    tests: ['totp-races', 'totp-codes', 'totp.test'],
  },
  {
    mutant: 'takes codes of a step too long ago',
    mutations: change(
      'authentication/queries/totp/totp.ts',
      'length: 2 * tolerance + 1 }, (_, index) => latestStep(now) - 2 * tolerance + index',
      'length: 2 * tolerance + 2 }, (_, index) => latestStep(now) - 2 * tolerance - 1 + index',
    ),
    tests: ['totp-codes', 'totp.test'],
  },
  {
    mutant: 'asks for no JWT that the policy requires',
    mutations: change(
      'authentication/queries/ext-jwt.ts',
      'isRequired: (facts) => signerIdOf(facts) !== null',
      "isRequired: (facts) => signerIdOf(facts) === ''",
    ),
    tests: ['ext-jwt-secondary', 'auth-state'],
  },
];

const policies: readonly SignInMutant[] = [
  {
    mutant: 'takes AllOf for AnyOf',
    mutations: change(roles, "return semantic === 'AnyOf' ? 1", "return semantic !== 'AnyOf' ? 1"),
    tests: ['roles.test', 'policy.test'],
  },
  {
    mutant: 'counts #all among the roles that AllOf needs',
    mutations: change(roles, "role.startsWith('#') && role !== '#all'", "role.startsWith('#')"),
    tests: ['roles.test', 'policy.test'],
  },
  {
    mutant: 'selects with one role less than a policy needs',
    mutations: change(roles, 'having count(*) >= max(r."need")', 'having count(*) >= max(r."need") - 1'),
    tests: ['roles.test', 'policy.test'],
  },
  {
    mutant: 'selects with one of the policies of two entities',
    mutations: change(roles, '    intersect select "ownerId"', '    union select "ownerId"'),
    tests: ['roles.test', 'policy.test'],
  },
  {
    mutant: 'gives up a group that another one covers in part',
    mutations: change(
      roles,
      '[...smaller].every((name) => names.has(name))',
      '[...smaller].some((name) => names.has(name))',
    ),
    tests: ['roles.test', 'policy.test'],
  },
  {
    mutant: 'selects everything where nothing is selected',
    mutations: change(roles, 'sql<boolean>`1 = 0`', 'sql<boolean>`1 = 1`'),
    tests: ['roles.test', 'policy.test', 'role-filter'],
  },
  {
    mutant: 'forgets the third attribute of a group',
    mutations: change(
      roles,
      'const list = groups.map(([first, second, ...others]) => [first, second, others]);',
      'const list = groups.map(([first, second]) => [first, second, []]);',
    ),
    tests: ['roles.test', 'policy.test', 'role-filter'],
  },
  {
    mutant: 'filters by any role where all are asked for',
    mutations: change(
      roles,
      "const isGroup = semantic === 'AllOf' && names.length > 1;",
      "const isGroup = semantic === 'AnyOf' && names.length > 1;",
    ),
    tests: ['role-filter', 'policy.test'],
  },
  {
    mutant: 'filters by AnyOf unless asked for another semantic',
    mutations: change('crud/role-filter.ts', "roleSemantic = 'AllOf'", "roleSemantic = 'AnyOf'"),
    tests: ['role-filter'],
  },
  {
    mutant: 'takes a method from the last administrators',
    mutations: change(
      'entities/auth-policies.ts',
      'const taken = previous && takenFromAdministrators(previous, next);',
      'const taken = false && previous && takenFromAdministrators(previous, next);',
    ),
    tests: ['auth-policies', 'last-administrator'],
  },
  {
    mutant: 'counts administrators who need a JWT of a signer',
    mutations: change(
      'sign-in-rules/can-administer.ts',
      'return !policy.secondary.requireExtJwtSigner && (',
      'return (',
    ),
    tests: ['auth-policies', 'last-administrator'],
  },
  {
    mutant: 'deletes the default policy',
    mutations: change('entities/auth-policies.ts', 'if (isSystem) {', 'if (isSystem && id === null) {'),
    tests: ['auth-policies'],
  },
  {
    mutant: 'deletes the policy of the enrollments of a signer',
    mutations: change('entities/auth-policies.ts', 'if (!signer) return;', 'if (signer || !signer) return;'),
    tests: ['auth-policies', 'external-jwt-signers-references'],
  },
  {
    mutant: 'allows passwords of any length',
    mutations: change(
      'entities/auth-policies.ts',
      'Math.max(shortestPassword, updb.minPasswordLength)',
      'updb.minPasswordLength',
    ),
    tests: ['auth-policies'],
  },
  {
    mutant: 'names signers that do not exist',
    mutations: change('entities/auth-policies.ts', 'if (!unknown) return;', 'if (!unknown || unknown) return;'),
    tests: ['auth-policies', 'external-jwt-signers-references'],
  },
];

export const signInMutants: readonly SignInMutant[] = [
  ...refusals,
  ...openings,
  ...certificates,
  ...tokens,
  ...revocation,
  ...factors,
  ...policies,
];
