import { execFile } from 'node:child_process';
import { setGlobalProxyFromEnv } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startConnectProxy } from '../../test/support/connect-proxy.ts';
import type { Authority } from '../../test/support/openssl.ts';
import { createAuthority } from '../../test/support/openssl.ts';
import { json, scriptedServer } from '../../test/support/scripted-server.ts';
import { startLocalServer } from '../../test/support/tls-server.ts';
import { createEdgeClient, mtls, nodeFetch } from './index.ts';

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));
const session = { id: 's', token: 'very-secret-token', identity: { id: 'i', name: 'alice' }, authQueries: [] };
let authority: Authority;
let restore = () => {};

beforeAll(() => {
  authority = createAuthority();
});
afterEach(() => restore());
afterAll(() => authority[Symbol.dispose]());

/** A controller that responds to everything with a session. */
const start = () =>
  startLocalServer(authority, (_request, response) => json(response, 200, { data: session, meta: {} }));

function useProxy(settings: Record<string, string>): void {
  restore = setGlobalProxyFromEnv(settings);
}

const errorOf = (call: Promise<unknown>) => call.then(null, (error: unknown) => error);

test('a request goes through the proxy of Node, which does not see the token', async () => {
  await using proxy = await startConnectProxy();
  await using server = await start();
  useProxy({ HTTPS_PROXY: proxy.url.replace('//', '//user:pass@') });
  const edge = createEdgeClient(server.url, { ca: authority.ca });
  await edge.signIn.password({ username: 'alice', password: 'very-secret-password' });
  await edge.client.version.get();
  expect(server.requests).toHaveLength(2);
  expect(proxy.asked).toEqual([
    {
      target: new URL(server.url).host,
      headers: expect.objectContaining({ 'proxy-authorization': `Basic ${btoa('user:pass')}` }),
    },
  ]);
  expect(proxy.received()).toContain('CONNECT');
  expect(proxy.received()).not.toContain('very-secret');
});

test('mtls presents its certificate to the controller through the proxy', async () => {
  await using proxy = await startConnectProxy();
  await using server = await start();
  useProxy({ https_proxy: proxy.url });
  const identity = { ...authority.issue({ subject: 'sensor' }), ca: authority.ca };
  const { signIn } = createEdgeClient(server.url, { fetch: mtls(identity) });
  await signIn.certificate();
  expect(server.clients).toEqual(['sensor']);
  expect(proxy.asked).toHaveLength(1);
});

test('a request to a host of NO_PROXY goes to it directly, and so does one over http', async () => {
  await using proxy = await startConnectProxy();
  await using server = await start();
  useProxy({ HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NO_PROXY: 'other.example,localhost' });
  await createEdgeClient(server.url, { ca: authority.ca }).client.version.get();
  await using plain = await scriptedServer((_seen, response) => response.end());
  await nodeFetch()(plain.url);
  expect([server.requests.length, plain.seen.length, proxy.received()]).toEqual([1, 1, '']);
});

test('the switches of Node count, and without them nothing uses a proxy', async () => {
  await using proxy = await startConnectProxy();
  await using server = await start();
  const program = `
    import { createEdgeClient } from './src/node/index.ts';
    const { client } = createEdgeClient('${server.url}', { ca: ${JSON.stringify(authority.ca)}, retries: 0 });
    await client.version.get();
  `;
  const run = (flags: string[], env: Record<string, string>) =>
    promisify(execFile)(process.execPath, ['--conditions=source', ...flags, '--input-type=module', '--eval', program], {
      cwd: packageFolder,
      env: { PATH: process.env.PATH, HTTPS_PROXY: proxy.url, ...env },
    });
  await run([], {});
  expect(proxy.asked).toHaveLength(0);
  await run([], { NODE_USE_ENV_PROXY: '1' });
  await run(['--use-env-proxy'], {});
  expect(proxy.asked).toHaveLength(2);
  expect(server.requests).toHaveLength(3);
});

test.each(['407 Proxy Authentication Required', '502 Bad Gateway'] as const)(
  'an error says that the proxy has refused with %s, and the connection is closed',
  async (status) => {
    await using proxy = await startConnectProxy(status);
    useProxy({ HTTPS_PROXY: proxy.url.replace('//', '//user:pass@') });
    const error = await errorOf(createEdgeClient('https://edge.example', { retries: 0 }).client.version.get());
    expect(error).toMatchObject({
      name: 'EdgeNetworkError',
      code: 'ERR_PROXY_TUNNEL',
      message: expect.stringContaining(`edge.example:443 via ${proxy.url}/: HTTP/1.1 ${status}`),
    });
    expect(String(error)).not.toContain('pass');
    await vi.waitFor(() => expect(proxy.open()).toBe(0));
  },
);

test('an error says that the proxy cannot be reached', async () => {
  const { host } = await startConnectProxy().then(async (proxy) => {
    await proxy[Symbol.asyncDispose]();
    return proxy;
  });
  useProxy({ HTTPS_PROXY: `http://${host}` });
  const error = await errorOf(createEdgeClient('https://edge.example', { retries: 0 }).client.version.get());
  expect(error).toMatchObject({ name: 'EdgeNetworkError', code: 'ERR_PROXY_TUNNEL' });
  expect(String(error)).toMatch(`the proxy cannot be reached: connect ECONNREFUSED ${host}`);
});

test('the certificate of the controller is verified through the proxy', async () => {
  await using proxy = await startConnectProxy();
  await using server = await start();
  useProxy({ HTTPS_PROXY: proxy.url });
  const error = await errorOf(createEdgeClient(server.url).client.version.get());
  expect(error).toMatchObject({ name: 'EdgeTlsError', reason: 'UNTRUSTED' });
  expect(server.requests).toEqual([]);
});

test('many calls at once open no more connections than maxConnections', async () => {
  await using proxy = await startConnectProxy();
  await using server = await start();
  useProxy({ HTTPS_PROXY: proxy.url });
  const { client } = createEdgeClient(server.url, { ca: authority.ca, maxConnections: 3 });
  await Promise.all(Array.from({ length: 50 }, () => client.version.get()));
  expect([server.requests.length, server.clients.length]).toEqual([50, 3]);
});

test('an abort ends a request while a proxy does not respond, also one that waits for a connection', async () => {
  await using proxy = await startConnectProxy('silent');
  useProxy({ HTTPS_PROXY: proxy.url });
  const fetch = nodeFetch({ maxConnections: 1 });
  const abort = new AbortController();
  const requests = [1, 2].map(() => errorOf(fetch('https://edge.example', { signal: abort.signal })));
  await vi.waitFor(() => expect(proxy.asked).toHaveLength(1));
  abort.abort(new Error('enough'));
  expect(await Promise.all(requests)).toEqual([abort.signal.reason, abort.signal.reason]);
  expect(proxy.asked).toHaveLength(1);
});

test('a controller that does not respond through the proxy does not keep the connections of other calls', async () => {
  await using proxy = await startConnectProxy('mute');
  useProxy({ HTTPS_PROXY: proxy.url });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const fetch = nodeFetch({ maxConnections: 1 });
  const abort = new AbortController();
  const [first, second] = [1, 2].map(() => errorOf(fetch('https://edge.example', { signal: abort.signal })));
  while (proxy.asked.length < 1) await nextTurn();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await first).toMatchObject({
    cause: { code: 'ERR_PROXY_TUNNEL', message: 'the controller does not respond through the proxy' },
  });
  while (proxy.asked.length < 2) await nextTurn();
  abort.abort(new Error('enough'));
  expect(await second).toBe(abort.signal.reason);
});
