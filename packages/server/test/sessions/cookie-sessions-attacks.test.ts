import { once } from 'node:events';
import { connect } from 'node:net';
import { createCookieSessions } from '@edge-controller/sdk/backend';
import type { TestController, TestIdentity } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieApplication, origin, secret } from '../support/cookie-application.ts';

let controller: TestController;
let ada: TestIdentity;
let application: Awaited<ReturnType<typeof cookieApplication>>;
beforeAll(async () => {
  controller = await startTestController();
  ada = await controller.createIdentity();
  application = await cookieApplication(controller);
});
afterAll(async () => {
  await application[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
});

const name = '__Host-edge-session';
const other = 'another secret that is as long as the first one';
const credentials = () => ({ username: ada.username, password: ada.password });

async function signedIn() {
  const visitor = application.visitor();
  await visitor.post('/sign-in', credentials());
  return visitor;
}

const nameOn = async (visitor: { get(path: string): Promise<{ text: string }> }) =>
  JSON.parse((await visitor.get('/')).text).name;

describe('the cookie', () => {
  it.each<[string, (cookie: string) => string]>([
    ['a changed one', (cookie) => cookie.replace(/.{4}$/, (end) => (end === 'AAAA' ? 'BBBB' : 'AAAA'))],
    ['a truncated one', (cookie) => cookie.slice(0, -10)],
    ['one that is cut behind the key id', (cookie) => cookie.slice(0, cookie.indexOf('.') + 1)],
    ['one with another key id', (cookie) => `AAAAAA${cookie.slice(6)}`],
    ['one that is too long', (cookie) => `${cookie}${'A'.repeat(5_000)}`],
    ['one with a third part', (cookie) => `${cookie}.e30`],
    ['a token in the open', () => JSON.stringify({ token: '00000000-0000-4000-8000-000000000000' })],
    ['an empty one', () => ''],
    ['one of another encoding', () => '%00%ff"\\u0000'],
  ])('does not work when it is %s, and goes', async (_what, change) => {
    const visitor = await signedIn();
    visitor.cookies.set(name, change(visitor.cookie ?? ''));
    const response = await visitor.get('/');
    expect([JSON.parse(response.text).name, visitor.cookies.size]).toEqual([null, 0]);
  });

  it('does not work with another secret, origin, name or kind, and the controller is not asked', async () => {
    const visitor = await signedIn();
    const unreachable = { url: 'http://127.0.0.1:1' };
    for (const options of [{ secret: other }, { origin: 'https://other.example' }, { store: new Map() }]) {
      await using strange = await cookieApplication(unreachable, options);
      expect(await nameOn(strange.visitor(visitor.cookies)), JSON.stringify(options)).toBeNull();
    }
    await using renamed = await cookieApplication(unreachable, { cookieName: 'other' });
    const cookies = [...visitor.cookies].map(([key, value]): [string, string] => [
      key.replace('edge-session', 'other'),
      value,
    ]);
    expect(await nameOn(renamed.visitor(cookies))).toBeNull();
    await using same = await cookieApplication(unreachable);
    expect((await same.visitor(visitor.cookies).get('/')).status).toBe(503);
  });

  it('works after a change of the secret as long as the old one is listed', async () => {
    const visitor = await signedIn();
    await using rotated = await cookieApplication(controller, { secret: [other, secret] });
    expect(await nameOn(rotated.visitor(visitor.cookies))).toBe(ada.name);
    const later = rotated.visitor();
    await later.post('/sign-in', credentials());
    await using done = await cookieApplication(controller, { secret: other });
    expect(await nameOn(done.visitor(later.cookies))).toBe(ada.name);
    expect(await nameOn(done.visitor(visitor.cookies))).toBeNull();
  });

  it('is of no use after the sign-out, in the proxy, too', async () => {
    const visitor = await signedIn();
    const stolen = application.visitor(visitor.cookies);
    expect((await visitor.call('DELETE', '/current-api-session')).status).toBe(200);
    expect(visitor.cookies.size).toBe(0);
    const replayed = await stolen.call('GET', '/current-api-session');
    expect([replayed.status, stolen.cookies.size]).toEqual([401, 0]);
  });
});

describe('a request of another site', () => {
  it.each<[string, Record<string, string>]>([
    ['another origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another origin of the site', { origin: 'https://blog.app.example', 'sec-fetch-site': 'same-site' }],
    ['another origin, in an older browser', { origin: 'https://evil.example', 'sec-fetch-site': '' }],
    ['plain http', { origin: 'http://app.example', 'sec-fetch-site': '' }],
    ['an opaque origin', { origin: 'null', 'sec-fetch-site': '' }],
    ['a frame without an origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['nobody', { origin: '', 'sec-fetch-site': '' }],
    ['two that disagree', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
    ['an address that somebody typed', { origin: '', 'sec-fetch-site': 'none' }],
  ])('from %s changes nothing', async (_sender, headers) => {
    const visitor = await signedIn();
    for (const path of ['/sign-in', '/code', '/sign-out']) {
      expect((await visitor.post(path, credentials(), headers)).status, path).toBe(403);
    }
    expect(JSON.parse((await visitor.post('/', {}, headers)).text).name).toBeNull();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await visitor.call(method, '/current-api-session', undefined, headers)).status, method).toBe(403);
    }
    expect((await visitor.call('POST', '/authenticate?method=password', credentials(), headers)).status).toBe(403);
    expect(await nameOn(visitor)).toBe(ada.name);
  });

  it('a page without a referrer sends forms, too', async () => {
    const visitor = await signedIn();
    const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' };
    expect((await visitor.post('/sign-out', {}, headers)).status).toBe(200);
  });

  it('a form with GET does not sign in', async () => {
    const visitor = application.visitor();
    expect((await visitor.get('/sign-in?username=admin')).status).toBe(403);
  });

  it('a preflight gets no permission', async () => {
    const visitor = application.visitor();
    const { status, headers } = await visitor.send('OPTIONS', '/edge/client/v1/current-identity', {
      headers: { origin: 'https://evil.example', 'access-control-request-headers': 'svc-session' },
    });
    expect([status, headers['access-control-allow-origin']]).toEqual([404, undefined]);
  });
});

describe('the proxy', () => {
  it('takes a cookie without the handle for nobody', async () => {
    const visitor = await signedIn();
    const call = await visitor.call('GET', '/current-identity', undefined, { 'svc-session': '' });
    expect([call.status, JSON.parse(call.text).error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect((await visitor.call('GET', '/version', undefined, { 'svc-session': '' })).status).toBe(200);
    expect(visitor.cookies.size).toBe(2);
  });

  it('refuses a handle of another session, and a token', async () => {
    const visitor = await signedIn();
    const outsider = await signedIn();
    const { data } = await controller.admin.management.apiSessions.list();
    const handles = [outsider.handle ?? '', 'cookie.', 'cookie.x', ...data.map(({ token }) => token)];
    for (const handle of handles) {
      const call = await visitor.call('GET', '/current-api-session', undefined, { 'svc-session': handle });
      expect([call.status, call.headers['www-authenticate']], handle).toEqual([
        401,
        expect.stringContaining('error="invalid"'),
      ]);
      const alone = application.visitor();
      const headers = { 'svc-session': handle };
      expect((await alone.call('GET', '/current-api-session', undefined, headers)).status, handle).toBe(401);
    }
    expect(await nameOn(visitor)).toBe(ada.name);
  });

  it('lets nobody sign in with the certificate of the application, or in two ways', async () => {
    const visitor = application.visitor();
    for (const query of [
      ...['', '?method=cert', '?METHOD=cert', '?method=password&method=cert', '?method=password&Method=cert'],
      ...['?method=PASSWORD', '?method=', '?method=password%00'],
    ]) {
      expect((await visitor.call('POST', `/authenticate${query}`, credentials())).status, query).toBe(404);
    }
    for (const path of ['/Authenticate?method=cert', '/authenticate/?method=password']) {
      expect((await visitor.call('POST', path, credentials())).status, path).toBe(404);
    }
    expect(visitor.cookies.size).toBe(0);
  });

  it.each([
    '/edge/client/v1/../../x',
    '/edge/client/v1/../../management/v1/identities',
    '/edge/client/v1/%2e%2e/%2e%2e/management/v1/identities',
    '/edge/client/v1/.%2e/%2E./management/v1/identities',
    '/edge/client/v1/..%2f..%2fmanagement/v1/identities',
    '/edge/client/v1/%252e%252e/x',
    '/edge/client/v1/..%5c..%5cx',
    '/edge/client/v1/..\\..\\x',
    '/edge/client/v1//version',
    '/edge//client/v1/version',
    '//edge/client/v1/version',
    '/edge/client/v1/version/',
    '/edge/client/v1/version;x=1',
    '/edge/client/v1/version%00',
    '/edge/client/v1/version%0d%0ax:%20y',
    '/edge/client/v1',
    '/edge/client/v1/',
    '/edge/client/v2/version',
    '/edge/client/v1x/version',
    '/edge/Client/v1/version',
    '/edge/management/v1/identities',
    '/edge/management/v1/authenticate?method=password',
    '/edge/edge/client/v1/version',
    '/edge/oidc/token',
    '/edge/version',
    '/edge/http://evil.example/edge/client/v1/version',
    '/edge/client/v1/@evil.example',
  ])('passes on nothing but the calls of the API: not %s', async (path) => {
    const visitor = await signedIn();
    const sent = await visitor.send('GET', path, { headers: { 'svc-session': visitor.handle ?? '' } });
    // A path that is no longer below `/edge` after it is resolved belongs to the application.
    expect([404, 200]).toContain(sent.status);
    expect(sent.text).not.toMatch(/"data"/);
    if (sent.status === 200) expect(JSON.parse(sent.text)).toMatchObject({ name: ada.name });
  });

  it('passes on a call of the API', async () => {
    const { status, text } = await application.visitor().call('GET', '/version');
    expect([status, JSON.parse(text).data.version]).toEqual([200, expect.any(String)]);
    expect((await application.visitor().call('GET', '/.well-known/est/cacerts')).status).toBe(200);
  });

  it('refuses a body that no controller reads, without waiting for its end', async () => {
    const visitor = await signedIn();
    const body = 'x'.repeat(1_048_577);
    expect((await visitor.call('POST', '/authenticate/mfa', body)).status).toBe(413);
    const socket = connect(application.port, '127.0.0.1');
    const head = `POST /edge/client/v1/authenticate?method=password HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    socket.write(head);
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let sent = 0; sent < 20; sent += 1) socket.write(chunk);
    const [response] = await once(socket, 'data');
    expect(String(response)).toMatch(/^HTTP\/1\.1 413/);
    socket.destroy();
  });
});

it.each<[RegExp, object]>([
  [/secret must have at least 32 characters/, { secret: 'short' }],
  [/secret must have at least 32 characters/, { secret: [] }],
  [/secret must have at least 32 characters/, { secret: [secret, ''] }],
  [/origin must be like/, { origin: 'https://app.example/' }],
  [/origin must be like/, { origin: 'http://app.example' }],
  [/origin must be like/, { origin: 'app.example' }],
  [/basePath must be like/, { basePath: 'api' }],
  [/basePath must be like/, { basePath: '/api/' }],
  [/cookieName must/, { cookieName: 'a b' }],
  [/timeout must/, { timeout: 0 }],
  [/must be https/, { controller: 'http://controller.example' }],
  [/unknown option "orgin"/, { orgin: origin }],
  [/ca and caFile have no effect/, { fetch, caFile: 'ca.pem' }],
])('%s', (message, options) => {
  const create = () => createCookieSessions({ controller: 'https://localhost:1280', secret, origin, ...options });
  expect(create).toThrow(message);
});
