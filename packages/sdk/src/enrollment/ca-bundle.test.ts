import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthority } from '../../test/support/openssl.ts';
import { json, scriptedServer } from '../../test/support/scripted-server.ts';
import { caBundlePem, fetchCaBundle } from './ca-bundle.ts';

const open = new AbortController().signal;
const send = (input: string | URL | Request, init?: RequestInit) => fetch(input, init);

test('reads the certificates of a bundle that OpenSSL has written', async () => {
  using authority = createAuthority();
  const pem = caBundlePem(authority.bundle());
  expect(new X509Certificate(pem ?? '').raw.equals(new X509Certificate(authority.ca).raw)).toBe(true);
});

test('a damaged, cut, empty or huge bundle is none', async () => {
  using authority = createAuthority();
  const bytes = Buffer.from(authority.bundle(), 'base64');
  for (let length = 0; length < bytes.length; length += 1) {
    expect(caBundlePem(bytes.subarray(0, length).toString('base64'))).toBeNull();
  }
  for (let at = 0; at < 60; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = 0xff;
    expect(() => caBundlePem(changed.toString('base64'))).not.toThrow();
  }
  expect(caBundlePem('not base64!')).toBeNull();
  expect(caBundlePem('A'.repeat(2_000_000))).toBeNull();
});

test('says which address sent no bundle, and does not follow a redirect', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.path.startsWith('/moved')) return response.writeHead(302, { location: '/' }).end();
    return json(response, 200, {});
  });
  await expect(fetchCaBundle(server.url, send, open)).rejects.toMatchObject({
    name: 'EdgeInvalidResponseError',
    message: expect.stringContaining('/.well-known/est/cacerts'),
  });
  await expect(fetchCaBundle(`${server.url}/moved`, send, open)).rejects.toMatchObject({ name: 'EdgeNetworkError' });
});
