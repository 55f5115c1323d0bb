import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, request } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import express from 'express';
import Koa from 'koa';
import ky from 'ky';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { RoutedServices } from './support/routed-services.ts';
import { startRoutedServices, textOf } from './support/routed-services.ts';

let network: RoutedServices;
let added = 0;
beforeAll(async () => {
  network = await startRoutedServices();
});
afterAll(() => network[Symbol.asyncDispose]());

async function newService(): Promise<string> {
  added += 1;
  await network.addService(`web ${added}`);
  return `web ${added}`;
}

const errorOf = (call: Promise<unknown>) => call.then(null, (error: unknown) => error);

test('Koa, Express and a server of node:http listen on a service, and an agent reaches them', async () => {
  const koa = new Koa();
  koa.use((context) => {
    context.body = `Koa ${context.method} ${context.path} ${context.host}`;
  });
  const app = express();
  app.get('/pages', (_request, response) => void response.send('Express'));
  const plain = createServer((_request, response) => response.end('node:http'));
  for (const [handler, expected] of [
    [koa.callback(), 'Koa GET /pages wiki'],
    [app, 'Express'],
    [plain, 'node:http'],
  ] as const) {
    const service = await newService();
    await using hosted = await network.hosting.server(service, handler);
    expect(hosted.routers).toEqual([network.router.url]);
    const agent = network.calling.agent(service);
    const sent = request('http://wiki/pages', { agent }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect([response.statusCode, await text(response)]).toEqual([200, expected]);
    agent.destroy();
  }
});

test('fetch of an agent works in ky, streams bodies, and uses its connections again', async () => {
  const service = await newService();
  let connections = 0;
  const server = createServer((incoming, response) => incoming.pipe(response));
  server.on('connection', () => {
    connections += 1;
  });
  await using _hosted = await network.hosting.server(service, server);
  const agent = network.calling.agent(service, { maxSockets: 2 });
  const api = ky.create({ fetch: agent.fetch, prefix: 'http://wiki' });
  expect(await api.post('echo', { json: { hello: 'you' } }).json()).toEqual({ hello: 'you' });
  const body = Readable.toWeb(Readable.from(['a', 'b', 'c'])) as ReadableStream;
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
  expect(await (await agent.fetch('http://wiki', init)).text()).toBe('abc');
  const all = Array.from({ length: 20 }, (_, at) => api.post('echo', { body: 'x'.repeat(at * 5_000) }).text());
  expect((await Promise.all(all)).map(({ length }) => length)).toEqual(all.map((_, at) => at * 5_000));
  expect(connections).toBe(2);
  expect(await errorOf(agent.fetch('https://wiki'))).toMatchObject({ cause: { message: 'unknown scheme https:' } });
  agent.destroy();
});

test('a connection that the server closes is not used again', async () => {
  const service = await newService();
  const server = createServer((_request, response) => response.end('ok'));
  server.keepAliveTimeout = 30;
  await using _hosted = await network.hosting.server(service, server);
  const agent = network.calling.agent(service);
  expect(await (await agent.fetch('http://wiki')).text()).toBe('ok');
  await vi.waitFor(() => expect([agent.freeSockets, agent.sockets]).toEqual([{}, {}]));
  expect(await (await agent.fetch('http://wiki')).text()).toBe('ok');
  agent.destroy();
});

test('a request to a service without a host fails with the reason', async () => {
  const service = await newService();
  const agent = network.calling.agent(service);
  expect(await errorOf(agent.fetch('http://wiki'))).toMatchObject({
    message: 'fetch failed',
    cause: { name: 'EdgeConnectionError', code: 'REFUSED' },
  });
});

test('the time limits of a server hold, and its close ends the bind', async () => {
  const service = await newService();
  const server = createServer({ connectionsCheckingInterval: 20, headersTimeout: 60, requestTimeout: 60 });
  const hosted = await network.hosting.server(service, server);
  const connection = await network.calling.dial(service);
  connection.write('GET / HTTP/1.1\r\n');
  let answer = '';
  connection.on('data', (chunk) => {
    answer += chunk;
  });
  // Node destroys the connection after its answer.
  await once(connection, 'error');
  expect(answer).toContain('408 Request Timeout');
  server.close();
  await hosted.ended;
  await vi.waitFor(async () => expect(await errorOf(network.calling.dial(service))).toMatchObject({ code: 'REFUSED' }));
});

test('a server of node:net takes connections with their socket methods', async () => {
  const service = await newService();
  const server = createTcpServer((socket) => {
    socket
      .setNoDelay(true)
      .setKeepAlive(true)
      .setTimeout(20, () => socket.end('too slow'));
  });
  await using _hosted = await network.hosting.server(service, server);
  const connection = await network.calling.dial(service);
  expect(connection).toMatchObject({ connecting: false, pending: false, readyState: 'open' });
  expect(connection.remoteAddress).toBe(connection.circuitId);
  expect(await textOf(connection)).toBe('too slow');
  connection.end();
});

test('the API session of the host ends: the server hears of it', async () => {
  const edge = await network.signIn(network.host);
  const server = createServer();
  const hosted = await edge.server(await newService(), server);
  const failed = once(server, 'error');
  await network.controller.admin.management.apiSessions.delete(edge.session?.id ?? '');
  expect((await failed)[0]).toMatchObject({ code: 'NO_SESSION' });
  expect(await errorOf(hosted.ended)).toMatchObject({ code: 'NO_SESSION' });
  expect(hosted).toMatchObject({ routers: [], server });
});
