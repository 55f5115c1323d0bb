import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOperatorPki } from '../../test/support/operator-pki.ts';
import { systemClock } from '../core/time/clock.ts';
import { caBundle } from './ca-bundle.ts';
import { createEnrollmentSigner } from './create-enrollment-signer.ts';
import { openPki } from './pki.ts';
import { fileNames } from './read-pki-files.ts';

const day = 86_400_000;
const clock = systemClock;
let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'pki-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

describe.each(['ec', 'rsa'] as const)('keys of the kind %s', (keyType) => {
  test('make a chain that OpenSSL accepts, and that stays after restarts', async () => {
    const dir = join(base, keyType, 'pki');
    const options = { dir, names: ['edge.example.com', '2001:DB8::1', '*.example.org'], clock, keyType };
    const { current: first } = await openPki(options);
    const flags = ['-x509_strict', '-purpose', 'sslserver', '-CAfile', join(dir, 'ca.pem')];
    const chain = ['-untrusted', join(dir, 'intermediate.pem'), join(dir, 'server.pem')];
    for (const name of [
      ['-verify_hostname', 'edge.example.com'],
      ['-verify_ip', '::1'],
      ['-verify_ip', '2001:db8::1'],
    ]) {
      expect(execFileSync('openssl', ['verify', ...flags, ...name, ...chain]).toString()).toContain('OK');
    }
    const bits = [first.signingKeyPem, first.serverKeyPem].map((pem) => {
      const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
      return [asymmetricKeyType, asymmetricKeyDetails?.modulusLength];
    });
    const rsa = [
      ['rsa', 3072],
      ['rsa', 2048],
    ];
    expect(bits).toEqual(keyType === 'rsa' ? rsa : Array(2).fill(['ec', undefined]));
    expect((await openPki(options)).current).toEqual(first);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(dir)) {
      if (name.endsWith('.key')) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    }
  });
});

test('returns the CA bundle as certs-only PKCS#7', async () => {
  const pki = await openPki({ dir: join(base, 'bundle'), names: [], clock });
  const bundle = caBundle(pki.current);
  const lines = bundle.split('\n');
  expect(lines.slice(0, -1).every((line) => line.length === 64)).toBe(true);
  expect(bundle.endsWith('\n')).toBe(false);
  const input = Buffer.from(bundle, 'base64');
  const text = execFileSync('openssl', ['pkcs7', '-inform', 'DER', '-print_certs', '-noout'], { input }).toString();
  expect(text.match(/subject=/g)).toHaveLength(2);
});

test('issues only the server certificate again when names change or it expires soon', async () => {
  const dir = join(base, 'renewal');
  const { current: first } = await openPki({ dir, names: [], clock });
  const { current: renamed } = await openPki({ dir, names: ['other.example.com'], clock });
  expect(renamed.signingPath).toEqual(first.signingPath);
  expect(renamed.serverKeyPem).toBe(first.serverKeyPem);
  expect(renamed.serverKid).not.toBe(first.serverKid);
  const { current: moved } = await openPki({ dir, names: ['other.example.com'], host: 'edge.example.org', clock });
  expect(new X509Certificate(moved.serverCertChainPem).subjectAltName).toContain('DNS:edge.example.org');
  const options = { dir, names: ['other.example.com'], host: 'edge.example.org', clock: () => clock() + 370 * day };
  expect((await openPki(options)).current.serverKid).not.toBe(moved.serverKid);
  expect(new X509Certificate(first.serverCertChainPem).ca).toBe(false);
});

test('gives several processes that start at once the same PKI', async () => {
  const dir = join(base, 'race');
  const opened = await Promise.all(Array.from({ length: 4 }, () => openPki({ dir, names: [], clock })));
  expect(new Set(opened.map(({ current }) => JSON.stringify(current))).size).toBe(1);
  expect((await readdir(base)).filter((name) => name.includes('.new-'))).toEqual([]);
});

test('lets several processes complete the same PKI at once', async () => {
  const dir = join(base, 'completed');
  await openPki({ dir, names: [], clock });
  for (const name of ['intermediate.pem', 'intermediate.key', 'server.pem', 'server.key']) await rm(join(dir, name));
  await Promise.all(Array.from({ length: 4 }, () => openPki({ dir, names: [], clock })));
  const { current } = await openPki({ dir, names: [], clock });
  expect(current.signingPath).toHaveLength(2);
  expect((await readdir(dir)).sort()).toEqual(
    Object.values(fileNames)
      .flatMap(({ cert, key }) => [cert, key])
      .sort(),
  );
});

test('removes what a killed process left behind', async () => {
  const dir = join(base, 'killed');
  await openPki({ dir: join(base, 'whole'), names: [], clock });
  await cp(join(base, 'whole'), join(base, '.killed.new-000000000000'), { recursive: true });
  await rm(join(base, '.killed.new-000000000000', 'root.key'));
  await openPki({ dir, names: [], clock: () => clock() + day });
  expect((await readdir(base)).filter((name) => name.startsWith('.killed'))).toEqual([]);
});

test('has a trust domain: the setting, that of a SPIFFE id in its certificates, or the SHA-1 of the root', async () => {
  const dir = join(base, 'domain');
  const { current } = await openPki({ dir, names: [], clock });
  expect(current.trustDomain).toBe(createHash('sha1').update(current.roots[0]!).digest('hex'));
  expect((await openPki({ dir, names: [], clock, trustDomain: 'example.org' })).current.trustDomain).toBe(
    'example.org',
  );
  const own = await createOperatorPki(join(base, 'spiffe'), {
    signing: ['subjectAltName=URI:spiffe://edge.example/ca'],
  });
  expect((await openPki({ dir: own, names: [], clock })).current.trustDomain).toBe('edge.example');
});

test('signs enrollments with the server key', async () => {
  const { current: pki } = await openPki({ dir: join(base, 'signer'), names: [], clock });
  const server = () => ({ key: createPrivateKey(pki.serverKeyPem), kid: pki.serverKid });
  const signer = createEnrollmentSigner({ server, issuer: () => 'https://localhost:1280/' });
  const jwt = await signer.sign({ ownerId: 'abc', method: 'updb', token: 't', expiresAt: 4_000_000_000_500 });
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
