import { expect, it } from 'vitest';
import { createJwtKey, signJwt } from '../../../test/support/jwt.ts';
import { readKeyRing } from './key-ring.ts';
import { verifyJwt } from './verify-jwt.ts';

const at = Date.parse('2026-01-01T00:00:00Z');
const exp = at / 1_000 + 60;
const own = createJwtKey('ES256');
const tokenOf = (key = own, claims: object = {}) =>
  signJwt({ key: key.privateKey, alg: 'ES256', claims: { exp, ...claims } });

it('a token that was verified is verified again only with another key', async () => {
  const ring = readKeyRing({ keys: [own.jwk] });
  const token = tokenOf();
  for (let times = 0; times < 3; times += 1)
    expect(await verifyJwt({ token, keys: ring, at })).toMatchObject({ valid: true });
  const replaced = readKeyRing({ keys: [createJwtKey('ES256').jwk] });
  expect(await verifyJwt({ token, keys: replaced, at })).toMatchObject({ valid: false, failed: 'signature' });
});

it('its times are checked each time', async () => {
  const ring = readKeyRing({ keys: [own.jwk] });
  const token = tokenOf();
  expect(await verifyJwt({ token, keys: ring, at })).toMatchObject({ valid: true });
  expect(await verifyJwt({ token, keys: ring, at: at + 91_000 })).toMatchObject({ valid: false, failed: 'expiry' });
  expect(await verifyJwt({ token, keys: ring, at: at + 10_000 })).toMatchObject({ valid: true });
});

it('no other token counts because of it, and a refused one is refused again', async () => {
  const ring = readKeyRing({ keys: [own.jwk] });
  const token = tokenOf();
  expect(await verifyJwt({ token, keys: ring, at })).toMatchObject({ valid: true });
  const [header, payload, signature] = token.split('.');
  const forged = tokenOf(createJwtKey('ES256'), { sub: 'somebody' });
  const mixed = [header, forged.split('.')[1], signature].join('.');
  for (const wrong of [forged, mixed, [header, payload, forged.split('.')[2]].join('.')]) {
    for (let times = 0; times < 2; times += 1) {
      expect(await verifyJwt({ token: wrong, keys: ring, at })).toMatchObject({ valid: false, failed: 'signature' });
    }
  }
});
