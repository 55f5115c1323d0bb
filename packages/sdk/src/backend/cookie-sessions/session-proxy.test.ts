import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { invalidSession, json, refuse, scriptedServer, sessionDetail } from '../../../test/support/scripted-server.ts';
import type { CookieSessionsOptions } from '../index.ts';
import { createCookieSessions } from '../index.ts';

const origin = 'https://app.example';
const secret = 'a secret of the application that nobody can guess';
const token = '5fcb5c2b-6c1e-4d5e-9d4c-1d2b7a3f0e11';

type Script = Parameters<typeof scriptedServer>[0];

/** A controller that signs everybody in, and an application with a signed-in page. */
async function startApplication(script: Script, options: Partial<CookieSessionsOptions> = {}) {
  const controller = await scriptedServer((seen, response) => {
    if (!seen.path.includes('/authenticate')) return script(seen, response);
    return json(response, 200, { data: { ...sessionDetail(token), id: 'one' }, meta: {} }, { 'svc-session': token });
  });
  const sessions = createCookieSessions({ controller: controller.url, secret, origin, ...options });
  const send = (method: string, path: string, headers: Record<string, string> = {}, body: string | null = null) =>
    sessions.handle(new Request(`${origin}/edge/client/v1${path}`, { method, body, headers: { origin, ...headers } }));
  const signedIn = await send('POST', '/authenticate?method=password', {}, '{}');
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const credentials = { cookie, 'svc-session': 'cookie.one' };
  return {
    ...{ controller, signedIn, send },
    read: () => sessions.read(new Request(`${origin}/`, { headers: { cookie } })),
    call: (path: string, headers: Record<string, string> = {}, method = 'GET', body: string | null = null) =>
      send(method, path, { ...credentials, ...headers }, body),
    [Symbol.asyncDispose]: () => controller[Symbol.asyncDispose](),
  };
}

const empty: Script = (_seen, response) => json(response, 200, { data: {}, meta: {} });

it('gives the page the handle in the place of the token, in the header, too', async () => {
  await using application = await startApplication(empty);
  const { headers } = application.signedIn;
  const { data } = (await application.signedIn.json()) as { data: object };
  expect([data, headers.get('svc-session')]).toEqual([expect.objectContaining({ token: 'cookie.one' }), 'cookie.one']);
  expect(JSON.stringify([...headers])).not.toContain(token);
});

it('sends the controller the token and what the call needs, and nothing else of the request', async () => {
  await using application = await startApplication(empty, { clientAddress: () => '203.0.113.7' });
  await application.call(
    '/current-identity/mfa',
    {
      ...{ accept: 'application/json', 'content-type': 'application/json', 'mfa-validation-code': '123456' },
      ...{ authorization: 'Bearer e30.e30.jwt', 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' },
      ...{ 'x-real-ip': '198.51.100.1', 'x-client-cert': 'pem', te: 'trailers', 'x-other': 'one' },
    },
    'POST',
    '{"a":1}',
  );
  await application.call('/version', { authorization: 'Basic YWxhZGRpbjpvcGVuc2VzYW1l' });
  const [, posted, other] = application.controller.seen;
  const { host, connection, 'user-agent': _agent, 'accept-encoding': _encoding, ...headers } = posted?.headers ?? {};
  expect([posted?.method, posted?.path, posted?.body]).toEqual([
    'POST',
    '/edge/client/v1/current-identity/mfa',
    '{"a":1}',
  ]);
  expect(headers).toEqual({
    ...{ accept: 'application/json', 'content-type': 'application/json', 'content-length': '7' },
    ...{ authorization: 'Bearer e30.e30.jwt', 'mfa-validation-code': '123456', 'svc-session': token },
    ...{ 'x-forwarded-for': '203.0.113.7', 'accept-language': '*', 'sec-fetch-mode': 'cors' },
  });
  expect(other?.headers).not.toHaveProperty('authorization');
});

it('gives the page no cookie, no cache and no encoding of the controller', async () => {
  await using application = await startApplication((_seen, response) => {
    response.setHeader('content-type', 'application/json');
    response.setHeader('content-encoding', 'gzip');
    response.setHeader('set-cookie', 'a=b');
    response.setHeader('cache-control', 'public, max-age=600');
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('svc-session-expires-in', '1800');
    response.end(gzipSync('{"data":{"a":"é"}}'));
  });
  const response = await application.call('/current-identity');
  expect(await response.json()).toEqual({ data: { a: 'é' } });
  expect(Object.fromEntries(response.headers)).toEqual({
    ...{ 'content-type': 'application/json', 'svc-session-expires-in': '1800', 'cache-control': 'no-store' },
    ...{ vary: 'cookie, svc-session', 'x-content-type-options': 'nosniff' },
    'content-security-policy': "default-src 'none'; sandbox",
  });
});

it('replaces the token in every text that streams, also where it is in two parts', async () => {
  const parts = ['{"data":"😀', token.slice(0, 9), token.slice(9), '😀', token, 'é"}'];
  await using application = await startApplication(async (_seen, response) => {
    response.setHeader('content-type', 'application/json');
    for (const part of parts) await new Promise((resolve) => response.write(part, resolve));
    response.end();
  });
  expect(await (await application.call('/other')).text()).toBe('{"data":"😀cookie.one😀cookie.oneé"}');
});

it('asks again after a lost connection for a read alone, and never with a TOTP code', async () => {
  await using application = await startApplication((_seen, response) => response.destroy(), { onError: () => {} });
  const requests = async (method: string, headers: Record<string, string> = {}) => {
    const before = application.controller.seen.length;
    await application.call('/current-identity/mfa/recovery-codes', headers, method);
    return application.controller.seen.length - before;
  };
  const code = { 'mfa-validation-code': '123456' };
  expect([await requests('GET'), await requests('DELETE'), await requests('GET', code)]).toEqual([2, 1, 1]);
});

it('leaves images as they are', async () => {
  const bytes = Buffer.from(`\u0089PNG ${token}\u00ff`, 'latin1');
  await using application = await startApplication((_seen, response) => {
    response.setHeader('content-type', 'image/png');
    response.end(bytes);
  });
  expect(Buffer.from(await (await application.call('/current-identity/mfa/qr-code')).arrayBuffer())).toEqual(bytes);
});

it.each([
  ['says so', (response: Parameters<Script>[1]) => refuse(response, 401, 'UNAUTHORIZED', invalidSession), 0],
  ['is not who says so', (response: Parameters<Script>[1]) => json(response, 401, { message: 'no' }), 2],
])('a session is over when the controller %s', async (_name, answer, kept) => {
  await using application = await startApplication((_seen, response) => answer(response));
  const response = await application.call('/current-api-session');
  expect([response.status, response.headers.getSetCookie().length]).toEqual([401, 2 - kept]);
  // Another call may be refused for a missing permission, and a late response must not end a session that began meanwhile.
  expect((await application.call('/current-identity')).headers.getSetCookie()).toEqual([]);
});

it('follows no redirect, and leads no page to one', async () => {
  await using application = await startApplication((_seen, response) =>
    response.writeHead(302, { location: 'https://evil.example/' }).end(),
  );
  const response = await application.call('/current-identity');
  expect([response.status, response.headers.get('location')]).toEqual([503, null]);
});

it('asks another controller when one is away; sends a change once only', async () => {
  const onError = vi.fn();
  await using other = await scriptedServer(empty);
  await using application = await startApplication((_seen, response) => response.destroy(), { onError });
  const controller = [application.controller.url, other.url];
  await using both = await startApplication(empty, { controller, onError });
  expect((await both.call('/current-identity')).status).toBe(200);
  expect(other.seen.map(({ path }) => path)).toEqual(['/edge/client/v1/current-identity']);
  expect(onError).not.toHaveBeenCalled();

  const before = application.controller.seen.length;
  expect((await application.call('/current-identity/mfa', {}, 'POST', '{}')).status).toBe(503);
  expect(application.controller.seen.length).toBe(before + 1);
  expect(onError.mock.calls).toEqual([[expect.objectContaining({ name: 'EdgeNetworkError' })]]);
});

it('waits for the controller until the time is over', async () => {
  const onError = vi.fn();
  await using application = await startApplication(() => undefined, { timeout: 300, onError });
  expect((await application.call('/current-identity', {}, 'POST', '{}')).status).toBe(503);
  expect(onError.mock.calls).toEqual([[expect.objectContaining({ name: 'EdgeTimeoutError', timeout: 300 })]]);
});

it('shows nobody the session of another user that a cache sends', async () => {
  const detail = { ...sessionDetail(token), id: 'one' };
  await using right = await startApplication((_seen, response) => json(response, 200, { data: detail, meta: {} }));
  expect((await right.read()).session?.identity.name).toBe('alice');
  const other = { ...detail, id: 'two' };
  await using wrong = await startApplication((_seen, response) => json(response, 200, { data: other, meta: {} }));
  await expect(wrong.read()).rejects.toMatchObject({ name: 'EdgeInvalidResponseError' });
});

it('ends a session whose token nobody could keep', async () => {
  const store = { get: () => null, set: () => Promise.reject(new Error('the store is full')), delete: () => false };
  await using application = await startApplication(empty, { store });
  expect([application.signedIn.status, application.signedIn.headers.getSetCookie()]).toEqual([503, []]);
  const [, ended] = application.controller.seen;
  expect([ended?.method, ended?.headers['svc-session']]).toEqual(['DELETE', token]);
});

it('a store that fails is no sign-out', async () => {
  const entries = new Map<string, string>();
  const state = { isDown: false };
  const store = {
    get(key: string) {
      if (state.isDown) throw new Error('the store is down');
      return entries.get(key);
    },
    set: (key: string, value: string) => entries.set(key, value),
    delete: (key: string) => entries.delete(key),
  };
  const onError = vi.fn();
  await using application = await startApplication(empty, { store, onError });
  state.isDown = true;
  const response = await application.call('/current-api-session');
  expect([response.status, response.headers.getSetCookie(), entries.size]).toEqual([503, [], 1]);
  expect(onError.mock.calls).toEqual([[expect.objectContaining({ message: 'the store is down' })]]);
});
