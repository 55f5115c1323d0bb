import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setGlobalProxyFromEnv } from 'node:http';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startConnectProxy } from '../../test/support/connect-proxy.ts';
import { enrollmentJwt as jwtOf } from '../../test/support/enrollment-jwt.ts';
import type { Authority, Issued } from '../../test/support/openssl.ts';
import { createAuthority } from '../../test/support/openssl.ts';
import { json } from '../../test/support/scripted-server.ts';
import type { TlsServer } from '../../test/support/tls-server.ts';
import { startTlsServer } from '../../test/support/tls-server.ts';
import { enroll, isEdgeEnrollmentError } from './index.ts';

const hour = 3_600_000;
const bundlePath = '/.well-known/est/cacerts';
let authority: Authority;
let local: Issued;

beforeAll(() => {
  authority = createAuthority();
  local = authority.issue({ subject: 'localhost', names: 'DNS:localhost' });
});
afterAll(() => authority[Symbol.dispose]());

/** A controller that issues certificates. */
function controller(issued: Issued, more: { bundle?: string; date?: number } = {}): Promise<TlsServer> {
  return startTlsServer(issued, async (request: IncomingMessage, response: ServerResponse) => {
    if (more.date !== undefined) response.setHeader('date', new Date(more.date).toUTCString());
    if (request.url === bundlePath) return response.end(more.bundle ?? authority.bundle());
    let body = '';
    for await (const chunk of request) body += chunk;
    const { clientCsr } = JSON.parse(body);
    return json(response, 200, { data: { cert: authority.sign(clientCsr) }, meta: {} });
  });
}

test.each([
  ['RS256', 'RSA'],
  ['ES256', 'P-256'],
  ['ES384', 'P-384'],
  ['ES512', 'P-521'],
] as const)('verifies a JWT with %s and gets a certificate', async (alg, keyKind) => {
  const issued = authority.issue({ subject: 'localhost', names: 'DNS:localhost', keyKind });
  await using server = await controller(issued);
  const identity = await enroll(jwtOf(server.url, issued, { alg }));
  expect(identity).toMatchObject({ url: server.url, method: 'ott', id: 'identity-1' });
  expect(new X509Certificate(identity.ca ?? '').raw.equals(new X509Certificate(authority.ca).raw)).toBe(true);
  const certificate = new X509Certificate(identity.cert ?? '');
  expect(certificate.subject).toBe('CN=identity-1');
  expect(certificate.checkPrivateKey(createPrivateKey(identity.key ?? ''))).toBe(true);
  expect(server.requests).toContain('POST /edge/client/v1/enroll?method=ott&token=one-time');
});

test('a JWT stays good when the server certificate is renewed for the same key', async () => {
  await using server = await controller(local);
  const identity = await enroll(jwtOf(server.url, local, { kid: 'ab'.repeat(20) }));
  expect(identity).toMatchObject({ id: 'identity-1', cert: expect.any(String) });
});

test('enrolls through the proxy of Node', async () => {
  await using proxy = await startConnectProxy();
  await using server = await controller(local);
  const restore = setGlobalProxyFromEnv({ HTTPS_PROXY: proxy.url });
  try {
    expect(await enroll(jwtOf(server.url, local))).toMatchObject({ id: 'identity-1', cert: expect.any(String) });
  } finally {
    restore();
  }
  expect(proxy.asked).toHaveLength(2);
  expect(proxy.received()).not.toContain('one-time');
});

const bad: [string, (url: string, jwt: string) => string, string][] = [
  ['signed by another key', (url) => jwtOf(url, { ...local, key: authority.issue().key }), 'OTHER_CONTROLLER'],
  ['of an algorithm for another key type', (url) => jwtOf(url, local, { alg: 'RS256' }), 'OTHER_CONTROLLER'],
  ['with the algorithm none', (url) => jwtOf(url, local, { alg: 'none' }), 'OTHER_CONTROLLER'],
  ['with a shared secret', (url) => jwtOf(url, local, { alg: 'HS256' }), 'OTHER_CONTROLLER'],
  [
    'with changed claims',
    (url, jwt) => swapClaims(jwt, jwtOf(url, local, { claims: { sub: 'x' } })),
    'OTHER_CONTROLLER',
  ],
  ['without a signature', (_url, jwt) => jwt.replace(/[^.]+$/, ''), 'OTHER_CONTROLLER'],
];

test.each(bad)('a JWT %s is refused before anything is sent', async (_case, change, code) => {
  await using server = await controller(local);
  const jwt = change(server.url, jwtOf(server.url, local));
  const error: unknown = await enroll(jwt).catch((thrown: unknown) => thrown);
  expect(isEdgeEnrollmentError(error) && error.code).toBe(code);
  expect(server.requests).toEqual([]);
});

function swapClaims(jwt: string, other: string): string {
  const [header, , signature] = jwt.split('.');
  return [header, other.split('.')[1], signature].join('.');
}

test('a JWT that has expired, or only by a wrong clock, is told apart', async () => {
  const exp = Math.floor((Date.now() - hour) / 1000);
  await using server = await controller(local);
  await expect(enroll(jwtOf(server.url, local, { claims: { exp } }))).rejects.toMatchObject({ code: 'EXPIRED' });
  await using slow = await controller(local, { date: Date.now() - 2 * hour });
  await expect(enroll(jwtOf(slow.url, local, { claims: { exp } }))).rejects.toMatchObject({ code: 'CLOCK_SKEW' });
  expect([...server.requests, ...slow.requests]).toEqual([`GET ${bundlePath}`, `GET ${bundlePath}`]);
});

test.each([
  ['', 'NOT_AN_ENROLLMENT'],
  ['no jwt', 'NOT_AN_ENROLLMENT'],
  ['a.b.c', 'NOT_AN_ENROLLMENT'],
  [`e30.${Buffer.from('{"em":"ott","jti":"SECRET"').toString('base64url')}.c2ln`, 'NOT_AN_ENROLLMENT'],
  [plain({ em: 'ott', jti: 'x' }), 'NOT_AN_ENROLLMENT'],
  [plain({ iss: 'https://localhost', sub: 's', em: 'ott', jti: 'x' }), 'NOT_AN_ENROLLMENT'],
  [plain({ iss: 'http://localhost:1280', sub: 's', em: 'ott', jti: 'x', exp: 1e10 }), 'NOT_AN_ENROLLMENT'],
  [plain({ iss: 'localhost', sub: 's', em: 'ott', jti: 'x', exp: 1e10 }), 'NOT_AN_ENROLLMENT'],
  [plain({ iss: 'https://localhost', sub: 's', em: 'erott', jti: 'x', exp: 1e10 }), 'UNSUPPORTED_METHOD'],
])('the text "%.20s" is no enrollment', async (text, code) => {
  const error: unknown = await enroll(text).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'EdgeEnrollmentError', code, hint: expect.any(String) });
  expect(String(error)).not.toContain('SECRET');
});

function plain(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
}

test('the token is not sent when the CA certificates do not fit the server certificate', async () => {
  using other = createAuthority();
  await using server = await controller(local, { bundle: other.bundle() });
  await expect(enroll(jwtOf(server.url, local))).rejects.toMatchObject({ name: 'EdgeTlsError', reason: 'UNTRUSTED' });
  expect(server.requests).toEqual([`GET ${bundlePath}`]);
});

test('the token is not sent to a server with a certificate for another host', async () => {
  const elsewhere = authority.issue({ names: 'DNS:elsewhere.example' });
  await using server = await controller(elsewhere);
  await expect(enroll(jwtOf(server.url, elsewhere))).rejects.toMatchObject({ reason: 'WRONG_HOST' });
  expect(server.requests).toEqual([`GET ${bundlePath}`]);
});

test('a response that is no bundle, a closed port and a server that is silent have their own errors', async () => {
  await using server = await controller(local, { bundle: 'no bundle' });
  await expect(enroll(jwtOf(server.url, local))).rejects.toMatchObject({ name: 'EdgeInvalidResponseError' });
  await expect(enroll(jwtOf('https://localhost:1', local))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const jwt = jwtOf(`https://localhost:${port}`, local);
  await expect(enroll(jwt, { timeout: 100 })).rejects.toMatchObject({ name: 'EdgeTimeoutError' });
  const reason = new Error('enough');
  await expect(enroll(jwt, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  silent.close();
});

test('an enrollment with the certificate of the caller needs its key', async () => {
  await using server = await controller(local);
  const { cert } = authority.issue();
  await expect(enroll(jwtOf(server.url, local, { claims: { em: 'ottca' } }), { cert })).rejects.toThrow(TypeError);
});
