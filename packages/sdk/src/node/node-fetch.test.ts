import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { json, scriptedServer } from '../../test/support/scripted-server.ts';
import { createEdgeClient, nodeFetch } from './index.ts';

const file = (name: string) => fileURLToPath(new URL(`../../test/support/tls/${name}`, import.meta.url));
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const version = { data: { version: '1' }, meta: {} };

async function tlsServer(headers: Record<string, string> = {}) {
  const connections = new Set<Socket>();
  const server = createServer({ key: readFileSync(file('server.key')), cert: readFileSync(file('server.pem')) });
  server.keepAliveTimeout = 0;
  server.on('request', (_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    json(response, 200, version);
  });
  server.on('secureConnection', (socket) => connections.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('trusts a private CA by PEM and by path, and reuses one connection', async () => {
  await using server = await tlsServer();
  const byFile = createEdgeClient(server.url, { caFile: file('ca.pem') });
  for (let calls = 0; calls < 20; calls += 1) await byFile.client.version.get();
  expect(server.connections.size).toBe(1);
  const byText = createEdgeClient(server.url, { ca: readFileSync(file('ca.pem'), 'utf8') });
  expect((await byText.client.version.get()).version).toBe('1');
});

test('closes a connection before the server does, by its `Keep-Alive` header', async () => {
  await using server = await tlsServer({ 'keep-alive': 'timeout=2', connection: 'keep-alive' });
  const edge = createEdgeClient(server.url, { caFile: file('ca.pem') });
  await edge.client.version.get();
  const [connection] = server.connections;
  // This server never closes a connection itself.
  await new Promise((resolve) => connection?.once('close', resolve));
  expect((await edge.client.version.get()).version).toBe('1');
  expect(server.connections.size).toBe(2);
});

test('an unknown CA is a network error with the TLS error code', async () => {
  await using server = await tlsServer();
  const plain = createEdgeClient(server.url, { retries: 0 });
  await expect(plain.client.version.get()).rejects.toMatchObject({
    name: 'EdgeTlsError',
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    reason: 'UNTRUSTED',
  });
  const other = createEdgeClient(server.url, { retries: 0, fetch: nodeFetch() });
  await expect(other.client.version.get()).rejects.toMatchObject({
    name: 'EdgeTlsError',
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    reason: 'UNTRUSTED',
  });
});

test('rejects with the reason of an abort before and while it waits for the response headers, and aborts the body', async () => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.path === '/body') response.writeHead(200).write('begin');
  });
  const fetch = nodeFetch();
  const reason = new Error('enough');
  await expect(fetch(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const controller = new AbortController();
  const waiting = fetch(server.url, { signal: controller.signal });
  const response = await fetch(`${server.url}/body`, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 20);
  await expect(waiting).rejects.toBe(reason);
  await expect(response.text()).rejects.toThrow();
});

test.each([
  ['an address', (url: string, signal: AbortSignal) => nodeFetch()(url, { signal })],
  ['a request', (url: string, signal: AbortSignal) => nodeFetch()(new Request(url, { signal }))],
])('an abort of %s still works after a garbage collection', async (_what, get) => {
  await using server = await scriptedServer((seen, response) => {
    if (seen.path === '/body') response.writeHead(200).write('begin');
  });
  const controller = new AbortController();
  const waiting = get(server.url, controller.signal);
  const response = await get(`${server.url}/body`, controller.signal);
  for (let rounds = 0; rounds < 3; rounds += 1) {
    collectGarbage();
    await sleep(10);
  }
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(response.text()).rejects.toThrow();
});

test('streams request and response bodies and keeps repeated headers', async () => {
  await using server = await scriptedServer((seen, response) => {
    response
      .writeHead(
        200,
        [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ].flat(),
      )
      .end(`${seen.headers['content-length']} ${seen.body}`);
  });
  const fetch = nodeFetch();
  const parts = ReadableStream.from([Buffer.from('one '), Buffer.from('two')]);
  const init: RequestInit = { method: 'POST', body: parts };
  const streamed = await fetch(server.url, Object.assign(init, { duplex: 'half' }));
  expect(await streamed.text()).toBe('undefined one two');
  expect(streamed.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await (await fetch(server.url, { method: 'POST', body: 'text' })).text()).toBe('4 text');
});

test('sends a request once, and the next one on a new connection, when the server resets those that it has kept', async () => {
  const used = new WeakSet<Socket>();
  let connections = 0;
  let resets = 0;
  await using server = await scriptedServer(async (_seen, response) => {
    const { socket } = response;
    if (socket && used.has(socket)) {
      resets += 1;
      return socket.resetAndDestroy();
    }
    if (socket) used.add(socket);
    // Four requests at once need four connections.
    await vi.waitUntil(() => connections >= 4);
    return response.end('ok');
  });
  server.server.on('connection', () => {
    connections += 1;
  });
  const fetch = nodeFetch();
  await Promise.all(Array.from({ length: 4 }, async () => (await fetch(server.url)).text()));
  // The connections return to the pool in a later turn of the event loop.
  await sleep(10);
  const lost = fetch(server.url, { method: 'DELETE' });
  await expect(lost).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
  expect([connections, resets]).toEqual([4, 1]);
  expect(await (await fetch(server.url)).text()).toBe('ok');
  expect([connections, resets]).toEqual([5, 1]);
});

test('follows redirects as fetch does and drops credentials for another origin', async () => {
  await using other = await scriptedServer((_seen, response) => response.end('there'));
  await using server = await scriptedServer((_seen, response) =>
    response.writeHead(303, { location: `${other.url}/x` }).end(),
  );
  const fetch = nodeFetch();
  const response = await fetch(server.url, { method: 'POST', body: 'text', headers: { authorization: 'Basic eA==' } });
  expect([await response.text(), response.redirected, response.url]).toEqual(['there', true, `${other.url}/x`]);
  expect(other.seen[0]).toMatchObject({ method: 'GET', body: '' });
  expect(other.seen[0]?.headers.authorization).toBeUndefined();
  expect((await fetch(server.url, { redirect: 'manual' })).status).toBe(303);
  await expect(fetch(server.url, { redirect: 'error' })).rejects.toThrow(TypeError);
});
