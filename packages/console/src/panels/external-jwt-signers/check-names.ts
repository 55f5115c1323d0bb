import type { edge } from '../../session/edge.ts';

type Check = Awaited<ReturnType<typeof edge.management.externalJwtSigners.test>>['checks'][number]['check'];

interface CheckName {
  readonly title: string;
  /** How a sentence goes on after "refused:". */
  readonly failed: string;
}

/** The checks of a JWT in words. */
export const checkNames: Readonly<Record<Check, CheckName>> = {
  form: { title: 'It has the form of a JWT', failed: 'it is no JWT' },
  header: { title: 'Its header is well formed', failed: 'its header is not well formed' },
  issuer: { title: 'Its claim “iss” names this signer', failed: 'its claim “iss” does not name this signer' },
  enabled: { title: 'The signer is enabled', failed: 'the signer is disabled' },
  key: { title: 'The signer has its key', failed: 'the signer has no key for it' },
  algorithm: { title: 'The key allows its algorithm', failed: 'the key does not allow its algorithm' },
  signature: { title: 'Its signature is right', failed: 'its signature is wrong' },
  claims: { title: 'Its dates are numbers', failed: 'one of its dates is missing or no number' },
  expiry: { title: 'It has not expired', failed: 'it has expired' },
  notBefore: { title: 'It is valid already', failed: 'it is not valid yet' },
  issuedAt: { title: 'It was not issued in the future', failed: 'it was issued in the future' },
  lifetime: { title: 'It does not live too long', failed: 'it lives longer than the controller allows' },
  audience: { title: 'Its claim “aud” has the audience', failed: 'its claim “aud” lacks the audience of the signer' },
  tokenKind: {
    title: 'It is of the kind that the signer asks for',
    failed: 'it is an ID token where the signer asks for an access token, or the reverse',
  },
  acr: { title: 'Its claim “acr” is one that the signer accepts', failed: 'its claim “acr” is not enough' },
  amr: { title: 'Its claim “amr” has all methods that the signer asks for', failed: 'its claim “amr” lacks a method' },
  authTime: {
    title: 'The sign-in at the provider is recent',
    failed: 'the sign-in at the provider is too old, or unknown',
  },
  identityClaim: {
    title: 'It has the claim that names the identity',
    failed: 'it lacks the claim that names the identity',
  },
  identity: {
    title: 'The claim names an identity that may sign in',
    failed: 'the claim names no identity that may sign in',
  },
  policy: {
    title: 'The auth policy of the identity allows the signer',
    failed: 'the auth policy of the identity does not allow the signer',
  },
};
