import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { createEnrollmentSigner } from './create-enrollment-signer.ts';

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const signerOf = (key: KeyObject) =>
  createEnrollmentSigner({ server: () => ({ key, kid: 'k' }), issuer: () => 'https://localhost:1280/' });
const claims = { ownerId: 'abc', method: 'ott', token: 't', expiresAt: 4_000_000_000_500 } as const;

it.each([
  ['ES256', () => ec('P-256')],
  ['ES384', () => ec('P-384')],
  ['ES512', () => ec('P-521')],
  ['RS256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
])('signs with %s', async (alg, makeKeys) => {
  const { privateKey, publicKey } = makeKeys();
  const signer = signerOf(privateKey);
  for (const jwt of [await signer.sign(claims), await signer.signForCa('ca1')]) {
    const { protectedHeader } = await jwtVerify(jwt, publicKey, { algorithms: [alg] });
    expect(protectedHeader).toEqual({ alg, typ: 'JWT', kid: 'k' });
  }
});

it.each([
  ['secp256k1', () => ec('secp256k1')],
  ['Ed25519', () => generateKeyPairSync('ed25519')],
  ['RSA-PSS', () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 })],
])('signs nothing with %s', async (_, makeKeys) => {
  await expect(signerOf(makeKeys().privateKey).sign(claims)).rejects.toThrow('no JWT can be signed');
});

it('signs with the key and the issuer of now', async () => {
  const keys = [ec('P-256'), generateKeyPairSync('rsa', { modulusLength: 2048 })] as const;
  let at: 0 | 1 = 0;
  const signer = createEnrollmentSigner({
    server: () => ({ key: keys[at].privateKey, kid: `key ${at}` }),
    issuer: () => `https://host-${at}`,
  });
  for (at of [0, 1] as const) {
    const { payload, protectedHeader } = await jwtVerify(await signer.signForCa('ca1'), keys[at].publicKey);
    expect([payload.iss, protectedHeader.kid]).toEqual([`https://host-${at}/`, `key ${at}`]);
  }
});
