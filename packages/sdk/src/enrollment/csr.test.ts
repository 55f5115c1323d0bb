import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeCsr } from '../../test/support/openssl.ts';
import { clientKeys, privateKeyPem } from './client-keys.ts';
import { createCsr } from './csr.ts';

test.each([
  ['P-256', 'ecdsa-with-SHA256'],
  ['P-384', 'ecdsa-with-SHA384'],
  ['P-521', 'ecdsa-with-SHA512'],
] as const)('a key of the caller on %s signs its request', async (namedCurve, algorithm) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  // The two integers of a signature have different lengths from one signature to the next.
  for (let tries = 0; tries < 8; tries += 1) {
    const text = describeCsr(await createCsr('a name', await clientKeys({ key })));
    expect(text).toContain('Subject: CN = a name');
    expect(text).toContain(algorithm);
  }
  const keys = await clientKeys({ key });
  expect(await privateKeyPem(keys)).toBe(key);
  const exported = Buffer.from(await crypto.subtle.exportKey('spki', keys.publicKey));
  expect(exported.equals(publicKey.export({ type: 'spki', format: 'der' }))).toBe(true);
});

test('a key of the caller with RSA signs its request, and other PEM texts are refused without a quote', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  expect(describeCsr(await createCsr('rsa', await clientKeys({ key })))).toContain('sha256WithRSAEncryption');
  const encrypted = privateKey
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
    .toString();
  const edwards = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const damaged = key.replace(/\n[^\n]+\n/, '\n');
  for (const wrong of [encrypted, edwards, damaged, 'no key', '', key.replace('\n', '\n*')]) {
    const error: unknown = await clientKeys({ key: wrong }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).not.toContain(key.slice(60, 90));
  }
});

test('a new key is on P-256, or has 3072 bits with RSA, and can be kept inside WebCrypto', async () => {
  const ec = await clientKeys({});
  expect(createPrivateKey((await privateKeyPem(ec)) ?? '').asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  const rsa = await clientKeys({ keyType: 'rsa' });
  const rsaPem = (await privateKeyPem(rsa)) ?? '';
  expect(createPublicKey(rsaPem).asymmetricKeyDetails).toMatchObject({ modulusLength: 3072 });
  expect(describeCsr(await createCsr('new', rsa))).toContain('Public-Key: (3072 bit)');
  const kept = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
  expect(await privateKeyPem(await clientKeys({ key: kept }))).toBeUndefined();
  expect(describeCsr(await createCsr('kept', kept))).toContain('CN = kept');
});

test('a common name of any text is kept as it is', async () => {
  const keys = await clientKeys({});
  for (const name of ['a/b=c,d+e', 'Grüße 世界', 'x'.repeat(64), 'x'.repeat(300)]) {
    const csr = await createCsr(name, keys);
    expect(Buffer.from(csr.replace(/-----.*-----/g, ''), 'base64').includes(Buffer.from(name))).toBe(true);
    expect(describeCsr(csr)).toContain('Signature');
  }
});
