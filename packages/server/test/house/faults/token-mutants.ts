import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const extJwt = 'sign-in/authentication/methods/ext-jwt.ts';
const claims = 'credentials/external-jwt/token-checks.ts';
const verifier = 'credentials/external-jwt/verify-token.ts';
const proof = 'credentials/external-jwt/prove-identity.ts';
const policy = 'credentials/sign-in-rules/auth-policy.ts';
const jwtSignIns = ['ext-jwt-sign-in', 'ext-jwt-attacks', 'ext-jwt-secondary', 'external-jwts.test'];

export const tokenMutants: readonly SignInMutant[] = [
  {
    mutant: 'takes JWTs with any signature',
    mutations: change(
      'credentials/jwt/verify-jwt.ts',
      "throw new BrokenCheck('signature',",
      "void new BrokenCheck('signature',",
    ),
    tests: ['ext-jwt-attacks', 'verify-jwt.test'],
  },
  {
    mutant: 'reveals to whoever has a JWT whether it names an identity',
    mutations: change(
      'credentials/external-jwt/token-report.ts',
      "'authTime', 'identityClaim']",
      "'authTime', 'identityClaim', 'identity']",
    ),
    tests: ['ext-jwt-sign-in'],
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
      'credentials/external-jwt/secondary-jwt.ts',
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
    mutations: change(
      proof,
      'if (isDisabled(holder, clock())) {',
      'if (isDisabled(holder, clock()) && holder === null) {',
    ),
    tests: jwtSignIns,
  },
  {
    mutant: 'refuses JWTs of identities that are no longer disabled',
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
    mutations: change(
      'credentials/jwt/check-times.ts',
      'if (!(at < expiry + tolerance)) {',
      'if (!(at <= expiry + tolerance)) {',
    ),
    tests: ['verify-jwt', 'claims.test'],
  },
  {
    mutant: 'takes JWTs before they count',
    mutations: change(
      'credentials/jwt/check-times.ts',
      'if (notBefore !== undefined && !(at >= notBefore - tolerance)) {',
      'if (notBefore !== undefined && !(at >= notBefore - tolerance - 1)) {',
    ),
    tests: ['verify-jwt', 'claims.test'],
  },
  {
    mutant: 'takes JWTs that live too long',
    mutations: change(
      'credentials/jwt/check-times.ts',
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
