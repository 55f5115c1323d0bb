import { execFileSync } from 'node:child_process';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { cp, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../lib/clock.ts';
import { createEnrollmentSigner } from './create-enrollment-signer.ts';
import { caBundle, openPki } from './pki.ts';

const day = 86_400_000;
const clock = systemClock;
let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'pki-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

test('creates a chain that OpenSSL accepts, and keeps it after restarts', async () => {
  const dir = join(base, 'data', 'pki');
  const first = await openPki({ dir, names: ['edge.example.com', '2001:DB8::1', '*.example.org'], clock });
  await writeFile(join(base, 'chain.pem'), first.serverCertChainPem);
  const flags = ['-x509_strict', '-purpose', 'sslserver', '-CAfile', join(dir, 'ca.pem')];
  const chain = ['-untrusted', join(dir, 'intermediate.pem'), join(dir, 'server.pem')];
  for (const name of [
    ['-verify_hostname', 'edge.example.com'],
    ['-verify_ip', '::1'],
    ['-verify_ip', '2001:db8::1'],
  ]) {
    expect(execFileSync('openssl', ['verify', ...flags, ...name, ...chain]).toString()).toContain('OK');
  }
  expect(await openPki({ dir, names: ['edge.example.com', '2001:DB8::1', '*.example.org'], clock })).toEqual(first);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  for (const name of await readdir(dir)) {
    if (name.endsWith('.key')) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
  }
});

test('returns the CA bundle as certs-only PKCS#7', async () => {
  const pki = await openPki({ dir: join(base, 'bundle'), names: [], clock });
  const bundle = await caBundle(pki);
  expect(
    bundle
      .split('\n')
      .slice(0, -1)
      .every((line) => line.length === 64),
  ).toBe(true);
  expect(bundle.endsWith('\n')).toBe(false);
  const input = Buffer.from(bundle, 'base64');
  const text = execFileSync('openssl', ['pkcs7', '-inform', 'DER', '-print_certs', '-noout'], { input }).toString();
  expect(text.match(/subject=/g)).toHaveLength(2);
});

test('issues only the server certificate again when names change or it expires soon', async () => {
  const dir = join(base, 'renewal');
  const first = await openPki({ dir, names: [], clock });
  const renamed = await openPki({ dir, names: ['other.example.com'], clock });
  expect(renamed.caPem).toBe(first.caPem);
  expect(renamed.serverKeyPem).toBe(first.serverKeyPem);
  expect(renamed.serverKid).not.toBe(first.serverKid);
  const later = await openPki({ dir, names: ['other.example.com'], clock: () => clock() + 370 * day });
  expect(later.serverKid).not.toBe(renamed.serverKid);
  expect(new X509Certificate(first.serverCertChainPem).ca).toBe(false);
});

test('gives several processes that start at once the same PKI', async () => {
  const dir = join(base, 'race');
  const opened = await Promise.all(Array.from({ length: 4 }, () => openPki({ dir, names: [], clock })));
  expect(new Set(opened.map((pki) => JSON.stringify(pki))).size).toBe(1);
  expect((await readdir(base)).filter((name) => name.includes('.new-'))).toEqual([]);
});

test('removes what a killed process left behind, and refuses a directory without one of its files', async () => {
  const dir = join(base, 'killed');
  await openPki({ dir: join(base, 'whole'), names: [], clock });
  await cp(join(base, 'whole'), join(base, '.killed.new-000000000000'), { recursive: true });
  await rm(join(base, '.killed.new-000000000000', 'root.key'));
  await openPki({ dir, names: [], clock: () => clock() + day });
  expect((await readdir(base)).filter((name) => name.startsWith('.killed'))).toEqual([]);
  await rm(join(dir, 'root.key'));
  await expect(openPki({ dir, names: [], clock })).rejects.toThrow('root.key missing');
});

test('signs enrollments with the server key', async () => {
  const pki = await openPki({ dir: join(base, 'signer'), names: [], clock });
  const signer = createEnrollmentSigner({ pki, issuer: () => 'https://localhost:1280/' });
  const jwt = await signer.sign({ identityId: 'abc', method: 'updb', token: 't', expiresAt: 4_000_000_000_500 });
  const { payload, protectedHeader } = await jwtVerify(jwt, createPublicKey(pki.serverCertChainPem));
  expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: pki.serverKid });
  expect(payload).toEqual({
    iss: 'https://localhost:1280',
    sub: 'abc',
    aud: [''],
    em: 'updb',
    jti: 't',
    exp: 4_000_000_000,
    ctrls: null,
  });
});
