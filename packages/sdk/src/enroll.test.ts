import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Authority } from '../test/support/openssl.ts';
import { createAuthority, describeCsr } from '../test/support/openssl.ts';
import { json, refuse, scriptedServer } from '../test/support/scripted-server.ts';
import { createEdgeClient, enroll, isEdgeEnrollmentError } from './index.ts';

let authority: Authority;
let bundle = '';

beforeAll(() => {
  authority = createAuthority();
  bundle = authority.bundle();
});
afterAll(() => authority[Symbol.dispose]());

const enrolling = '/edge/client/v1/enroll';

/** Reads the CA bundle and answers enrollments with `data`, or refuses them with a code. */
function controller(result: { data: object } | { code: string }) {
  return scriptedServer((seen, response) => {
    if (!seen.path.startsWith(enrolling)) return response.end(bundle);
    return 'data' in result ? json(response, 200, { data: result.data, meta: {} }) : refuse(response, 400, result.code);
  });
}

function jwt(claims: object = {}): string {
  const all = {
    iss: 'https://controller.example',
    sub: 'identity-1',
    jti: 'one-time',
    em: 'updb',
    exp: 1e10,
    ...claims,
  };
  return `e30.${Buffer.from(JSON.stringify(all)).toString('base64url')}.c2ln`;
}

test('a JWT of updb sets the password in one request', async () => {
  await using server = await controller({ data: { username: 'alice' } });
  const edge = createEdgeClient(server.url);
  const enrolled = { url: server.url, method: 'updb', id: 'identity-1', username: 'alice' };
  expect(await edge.enroll(jwt(), { password: 'a password' })).toEqual(enrolled);
  expect(await edge.enroll({ jwt: `  ${jwt()}\n` }, { password: 'a password' })).toEqual(enrolled);
  expect(server.seen[0]).toMatchObject({
    path: `${enrolling}?method=updb&token=one-time`,
    body: '{"password":"a password"}',
  });
  expect(server.seen).toHaveLength(2);
  await expect(edge.enroll(jwt())).rejects.toThrow('needs a password');
});

test('a bare token gets a certificate for a key that stays in WebCrypto', async () => {
  await using server = await controller({ data: { cert: 'CERT' } });
  const key = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
  const identity = await createEdgeClient(server.url).enroll('one-time', { key });
  expect(identity).toEqual({
    url: server.url,
    method: 'ott',
    cert: 'CERT',
    ca: expect.stringContaining('BEGIN CERTIFICATE'),
  });
  expect(server.seen.map(({ path }) => path)).toEqual([
    '/.well-known/est/cacerts',
    `${enrolling}?method=ott&token=one-time`,
  ]);
  expect(describeCsr(JSON.parse(server.seen[1]?.body ?? '').clientCsr)).toContain('CN = client');
});

test('ottca sends no key, and ca sends its wish for a name and no token', async () => {
  await using server = await controller({ data: {} });
  const edge = createEdgeClient(server.url);
  expect(await edge.enroll(jwt({ em: 'ottca' }))).toMatchObject({ method: 'ottca', id: 'identity-1' });
  expect(await edge.enroll(jwt({ em: 'ca', exp: undefined }), { name: 'sensor' })).not.toHaveProperty('id');
  const sent = server.seen.filter(({ path }) => path.startsWith(enrolling)).map(({ path, body }) => [path, body]);
  expect(sent).toEqual([
    [`${enrolling}?method=ottca&token=one-time`, '{}'],
    [`${enrolling}?method=ca`, '{"name":"sensor"}'],
  ]);
});

test.each([
  ['ENROLLMENT_EXPIRED', {}, 'EXPIRED'],
  ['INVALID_ENROLL_METHOD', {}, 'WRONG_METHOD'],
  ['INVALID_ENROLLMENT_TOKEN', {}, 'OTHER_CONTROLLER'],
  ['INVALID_ENROLLMENT_TOKEN', { iss: 'here' }, 'USED_OR_UNKNOWN'],
])('%s of the controller is an error with a hint', async (refusal, claims, code) => {
  await using server = await controller({ code: refusal });
  const iss = 'iss' in claims ? `${server.url}/` : 'https://controller.example';
  const call = createEdgeClient(server.url).enroll(jwt({ iss }), { password: 'a password' });
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  expect(isEdgeEnrollmentError(error, 'EXPIRED')).toBe(code === 'EXPIRED');
  expect(error).toMatchObject({ code, hint: expect.any(String), cause: { code: refusal } });
  expect(JSON.stringify(error) + String(error)).not.toContain('one-time');
});

test('other refusals stay as they are', async () => {
  await using server = await controller({ code: 'COULD_NOT_PROCESS_CSR' });
  await expect(createEdgeClient(server.url).enroll('one-time')).rejects.toMatchObject({ name: 'EdgeApiError' });
});

test('sends nothing for a JWT that has expired or is none, or with a wrong option', async () => {
  await using server = await controller({ data: {} });
  const edge = createEdgeClient(server.url);
  await expect(edge.enroll(jwt({ exp: 1 }), { password: 'p' })).rejects.toMatchObject({ code: 'EXPIRED' });
  await expect(edge.enroll('not.a.jwt')).rejects.toMatchObject({ code: 'NOT_AN_ENROLLMENT' });
  await expect(edge.enroll(jwt({ em: 'ott' }), { password: 'a password' })).rejects.toThrow('method "ott"');
  expect(server.seen).toEqual([]);
});

test('the token stays unused when there is no CA bundle', async () => {
  await using server = await scriptedServer((_seen, response) => response.writeHead(404).end());
  await expect(createEdgeClient(server.url).enroll('one-time')).rejects.toMatchObject({ status: 404 });
  expect(server.seen).toHaveLength(1);
});

test('without a client, the controller is the one in the JWT', async () => {
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request) => {
    asked.push(input instanceof Request ? input.url : String(input));
    return Response.json({ data: { username: 'alice' }, meta: {} });
  };
  expect(await enroll(jwt(), { password: 'a password', fetch })).toMatchObject({ username: 'alice' });
  expect(asked).toEqual([`https://controller.example${enrolling}?method=updb&token=one-time`]);
});
