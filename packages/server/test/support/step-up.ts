import { policyRules } from './auth-policies.ts';
import { signerBody } from './external-jwt-signers.ts';
import { caBody } from './registered-cas.ts';
import type { WireAnswer } from './request.ts';
import { createTestCa } from './test-ca.ts';
import { totpPaths } from './totp.ts';

export const management = '/edge/management/v1';
const { mfa, verify } = totpPaths('client');
export const maxAge = 300_000;
export const later = new Date(Date.now() + 86_400_000).toISOString();
export const newPassword = 'another password of mine';

export interface Victim {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  /** Its password, and an enrollment that it has not redeemed. */
  readonly authenticatorId: string;
  readonly enrollmentId: string;
}

export type Attack = readonly [
  operation: string,
  method: string,
  path: (own: Victim) => string,
  body?: (own: Victim) => unknown,
];

export const identity = ({ id }: Victim) => `${management}/identities/${id}`;
export const authenticator = ({ authenticatorId }: Victim) => `${management}/authenticators/${authenticatorId}`;
export const enrollment = ({ enrollmentId }: Victim) => `${management}/enrollments/${enrollmentId}`;
const account = ({ username }: Victim) => ({ username, password: newPassword });

/** What somebody with the session of an administrator could do to keep the account, or to lock its owner out. */
export const attacks: readonly Attack[] = [
  [
    'authenticators.create',
    'POST',
    () => `${management}/authenticators`,
    (own) => ({ method: 'updb', identityId: own.id, ...account(own) }),
  ],
  ['authenticators.update', 'PUT', authenticator, account],
  ['authenticators.patch', 'PATCH', authenticator, () => ({ password: newPassword })],
  ['authenticators.requestExtend', 'POST', (own) => `${authenticator(own)}/request-extend`, () => ({ rollKeys: true })],
  ['authenticators.reEnroll', 'POST', (own) => `${authenticator(own)}/re-enroll`, () => ({ expiresAt: later })],
  ['authenticators.delete', 'DELETE', authenticator],
  [
    'enrollments.create',
    'POST',
    () => `${management}/enrollments`,
    ({ id }) => ({ method: 'updb', username: `x-${id}`, identityId: id, expiresAt: later }),
  ],
  ['enrollments.refresh', 'POST', (own) => `${enrollment(own)}/refresh`, () => ({ expiresAt: later })],
  ['enrollments.delete', 'DELETE', enrollment],
  [
    'identities.update',
    'PUT',
    identity,
    ({ id, username }) => ({ name: username, type: 'User', isAdmin: true, externalId: `mine ${id}` }),
  ],
  ['identities.patch', 'PATCH', identity, ({ id }) => ({ externalId: `mine ${id}` })],
  ['identities.patch', 'PATCH', identity, () => ({ externalIdSignerId: 'a signer' })],
  ['identities.removeMfa', 'DELETE', (own) => `${identity(own)}/mfa`],
  ['identities.delete', 'DELETE', identity],
  ['currentIdentityMfa.create', 'POST', () => mfa],
  ['currentIdentityMfa.create', 'POST', () => `${management}/current-identity/mfa`],
  ['currentIdentityMfa.verify', 'POST', () => verify, () => ({ code: '000000' })],
];

export const codeOf = ({ status, body }: WireAnswer) => [status, body.error?.code ?? null];
export const refused = [401, 'STEP_UP_REQUIRED'];

const ca = caBody(createTestCa(), { identityNameFormat: '[caName]' });
const policy = { name: 'weak', ...policyRules };

/** Each needs a step-up only with `edge.stepUp.administration`. */
export const administration: readonly Attack[] = [
  [
    'identities.create',
    'POST',
    () => `${management}/identities`,
    ({ id }) => ({ name: `a ${id}`, type: 'User', isAdmin: true }),
  ],
  [
    'identities.create',
    'POST',
    () => `${management}/identities`,
    ({ id }) => ({ name: `b ${id}`, type: 'User', isAdmin: false, permissions: ['service'] }),
  ],
  ['identities.patch', 'PATCH', identity, () => ({ isAdmin: true })],
  ['identities.patch', 'PATCH', identity, () => ({ permissions: ['service'] })],
  ['identities.update', 'PUT', identity, ({ username }) => ({ name: username, type: 'User', isAdmin: true })],
  ['authPolicies.update', 'PUT', () => `${management}/auth-policies/default`, () => policy],
  [
    'authPolicies.patch',
    'PATCH',
    () => `${management}/auth-policies/default`,
    () => ({ secondary: { requireTotp: false } }),
  ],
  ['cas.create', 'POST', () => `${management}/cas`, () => ca],
  ['cas.update', 'PUT', () => `${management}/cas/none`, () => ca],
  ['cas.patch', 'PATCH', () => `${management}/cas/none`, () => ca],
  ['cas.verify', 'POST', () => `${management}/cas/none/verify`, () => 'a certificate'],
  ['externalJwtSigners.create', 'POST', () => `${management}/external-jwt-signers`, () => signerBody()],
  ['externalJwtSigners.update', 'PUT', () => `${management}/external-jwt-signers/none`, () => signerBody()],
  ['externalJwtSigners.patch', 'PATCH', () => `${management}/external-jwt-signers/none`, () => ({ enabled: true })],
];
