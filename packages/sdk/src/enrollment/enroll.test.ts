import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Authority } from '../../test/support/openssl.ts';
import { createAuthority, describeCsr } from '../../test/support/openssl.ts';
import { json, refuse, scriptedServer } from '../../test/support/scripted-server.ts';
import { createEdgeClient, enroll, isEdgeEnrollmentError } from '../index.ts';

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
    if (seen.path.endsWith('/version')) return json(response, 200, { data: {}, meta: {} });
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

describe('with several controllers', () => {
  const nowhere = 'http://127.0.0.1:1';
  const password = 'a password';

  test.each(['closed port', 'lost response', '503'])('enrolls at the next one after a %s', async (failure) => {
    await using broken = await scriptedServer((_seen, response) =>
      failure === '503' ? refuse(response, 503, 'STORE_UNAVAILABLE') : response.destroy(),
    );
    await using works = await controller({ data: { cert: 'CERT', username: 'alice' } });
    const urls = [failure === 'closed port' ? nowhere : broken.url, works.url];
    const options = { retries: 0 };
    expect(await createEdgeClient(urls, options).enroll('one-time')).toMatchObject({
      url: works.url,
      cert: 'CERT',
      ca: expect.stringContaining('BEGIN CERTIFICATE'),
    });
    const enrolled = await createEdgeClient(urls, options).enroll('one-time', { password });
    expect(enrolled).toEqual({ url: works.url, method: 'updb', username: 'alice' });
    expect(broken.seen.filter(({ path }) => path.startsWith(enrolling))).toEqual([]);
  });

  test('uses the first one while it responds', async () => {
    await using first = await controller({ data: { username: 'alice' } });
    await using second = await controller({ data: {} });
    const edge = createEdgeClient([first.url, second.url]);
    expect(await edge.enroll(jwt(), { password })).toMatchObject({ url: first.url });
    expect(second.seen).toEqual([]);
  });

  test.each([0, 1])('a JWT of any of them belongs to the network', async (at) => {
    await using first = await controller({ code: 'INVALID_ENROLLMENT_TOKEN' });
    const urls = [first.url, 'https://controller.example'];
    const code = async (iss: string | undefined) =>
      createEdgeClient(urls, { retries: 0 })
        .enroll(jwt({ iss }), { password })
        .catch((error: unknown) => isEdgeEnrollmentError(error) && error.code);
    expect(await code(urls[at])).toBe('USED_OR_UNKNOWN');
    expect(await code('https://elsewhere.example')).toBe('OTHER_CONTROLLER');
  });

  test('names the failure of the last one when none responds', async () => {
    const call = createEdgeClient([nowhere, 'http://127.0.0.1:2'], { retries: 0 }).enroll('one-time');
    await expect(call).rejects.toMatchObject({ name: 'EdgeNetworkError' });
  });
});
