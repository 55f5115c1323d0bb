import { expect, test } from 'vitest';
import { jwtChallenge } from './jwt-challenge.ts';

const challenge = (value: string) => jwtChallenge(new Headers({ 'www-authenticate': value }));

test('reads the challenge of the wire: parameters separated by spaces, lists by bars', () => {
  expect(
    challenge(
      'Bearer realm="openziti-primary-ext-jwt" error="expired" error_description="token expired" id="s1|s2" issuer="https://a.example/x?y=1,2|urn:b"',
    ),
  ).toEqual({
    error: 'expired',
    signers: [
      { id: 's1', issuer: 'https://a.example/x?y=1,2' },
      { id: 's2', issuer: 'urn:b' },
    ],
  });
});

test('reads parameters separated by commas, and other challenges do not matter', () => {
  const value =
    'svc-session realm="svc-session" error="missing",Bearer realm="secondary-ext-jwt", error_description="x", error="invalid", id="s1"';
  expect(challenge(value)).toEqual({ error: 'invalid', signers: [{ id: 's1', issuer: '' }] });
  expect(challenge('svc-session realm="svc-session" error="invalid" error_description="token is invalid"')).toBeNull();
  expect(jwtChallenge(new Headers())).toBeNull();
});
