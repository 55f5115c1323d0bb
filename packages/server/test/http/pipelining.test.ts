import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { Worker } from 'node:worker_threads';
import type Koa from 'koa';
import { expect, it } from 'vitest';
import { createController, createLogger } from '../../src/index.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { ended } from '../support/ended.ts';

const version = '/edge/client/v1/version';
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/**
 * Sends text, at once or in parts of a length, and resolves with all that comes back until the controller ends the
 * connection in order.
 */
function exchange(
  { url, caFile }: Pick<TestController, 'url' | 'caFile'>,
  text: string,
  length = text.length,
): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: 'localhost', port: Number(port), ca: readFileSync(caFile) }, async () => {
      for (let at = 0; at < text.length; at += length) {
        socket.write(text.slice(at, at + length));
        if (at + length < text.length) await sleep(1);
      }
    });
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', reject).on('end', () => resolve(received));
  });
}

const statusesIn = (text: string) => [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));

/** A controller with a middleware of an embedder. */
async function startWith(middleware: Koa.Middleware) {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-pipelining-'));
  const controller = await createController({
    host: '127.0.0.1',
    port: 0,
    dataDir,
    log: createLogger({ level: 'silent' }),
  });
  controller.app.use(middleware);
  const { url } = await controller.listen();
  return {
    ...{ url, caFile: controller.caFile },
    async [Symbol.asyncDispose]() {
      await controller.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A controller with a slow middleware. `most`: how many requests it worked on at once. `begun`: how many it has begun. */
async function startSlow(milliseconds: number) {
  const began = Promise.withResolvers<void>();
  let atOnce = 0;
  let most = 0;
  let begun = 0;
  const controller = await startWith(async (_ctx, next) => {
    atOnce += 1;
    begun += 1;
    most = Math.max(most, atOnce);
    began.resolve();
    await sleep(milliseconds);
    await next();
    atOnce -= 1;
  });
  return { ...controller, began: began.promise, most: () => most, begun: () => begun };
}

/** A connection. `received` is all that came back. */
async function open({ url, caFile }: Pick<TestController, 'url' | 'caFile'>) {
  const socket = connect({ host: 'localhost', port: Number(new URL(url).port), ca: readFileSync(caFile) });
  await once(socket, 'secureConnect');
  const client = { socket, received: '' };
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    client.received += chunk;
  });
  return client;
}

it('responds to 20,000 requests that come at once in their order, 1,000 on a connection, and to others meanwhile', async () => {
  await using server = await startController();
  const expected = Array.from({ length: 20_000 }, (_, at) => (at % 3 === 0 || at % 7 === 0 ? 404 : 200));
  const requests = expected.map((status) => get(status === 200 ? version : '/edge/client/v1/nothing')).join('');
  const exchanges = Promise.all([exchange(server, requests), exchange(server, requests)]);
  const others = await Promise.all(Array.from({ length: 20 }, () => server.wire('GET', version)));
  expect(others.map(({ status }) => status)).toEqual(Array(20).fill(200));
  for (const received of await exchanges) {
    expect(statusesIn(received)).toEqual(expected.slice(0, 1_000));
    expect(received.match(/^connection: close/gim), 'the last response closes the connection').toHaveLength(1);
    expect(statusesIn(received.slice(0, received.search(/^connection: close/im)))).toHaveLength(1_000);
  }
});

it('works on one request of a connection at a time', async () => {
  await using server = await startSlow(1);
  expect(statusesIn(await exchange(server, get(version).repeat(1_500)))).toHaveLength(1_000);
  expect(server.most()).toBe(1);
});

it('responds to the requests before one that is not HTTP, and then refuses that', async () => {
  await using server = await startController();
  const bad = `POST ${version} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n`;
  expect(statusesIn(await exchange(server, `${get(version).repeat(50)}no HTTP\r\n\r\n`))).toEqual([
    ...Array(50).fill(200),
    400,
  ]);
  expect(statusesIn(await exchange(server, `${get(version).repeat(50)}${bad}`))).toEqual([...Array(50).fill(200), 400]);
});

it('completes the requests that it has read when it stops', async () => {
  const server = await startSlow(5);
  const received = exchange(server, get(version).repeat(100));
  await server.began;
  await server[Symbol.asyncDispose]();
  expect(statusesIn(await received)).toEqual(Array(100).fill(200));
});

it('reads a body that follows other requests', async () => {
  await using server = await startController();
  const body = JSON.stringify({ username: 'nobody', password: 'x'.repeat(100_000) });
  const post = `POST /edge/client/v1/authenticate?method=password HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const statuses = statusesIn(await exchange(server, `${get(version).repeat(10)}${post}`));
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200));
  expect(statuses).toHaveLength(11);
});

it('reads a connection again after requests that had to wait', async () => {
  await using server = await startSlow(20);
  const socket = connect({
    host: 'localhost',
    port: Number(new URL(server.url).port),
    ca: readFileSync(server.caFile),
  });
  const body = '{"username":"nobody"}';
  const post = `POST /edge/client/v1/authenticate?method=password HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  const expectAnswers = async (count: number) => expect.poll(() => statusesIn(received).length).toBe(count);
  for (let round = 0; round < 5; round += 1) {
    socket.write(post + body);
    await expect.poll(server.begun).toBe(4 * round + 1);
    // The next requests come while the first one is worked on, in messages of their own.
    socket.write(post);
    await sleep(2);
    socket.write(body);
    await expectAnswers(4 * round + 2);
    socket.write(get(version));
    socket.write(get(version));
    await expectAnswers(4 * round + 4);
  }
  socket.destroy();
});

it('answers requests that arrive in parts while others wait', async () => {
  await using server = await startSlow(1);
  const requests = `${get(version).repeat(99)}GET ${version} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  for (const length of [100, 777, 2_000]) {
    expect(statusesIn(await exchange(server, requests, length)), `parts of ${length}`).toEqual(Array(100).fill(200));
  }
});

it('goes on reading from a client that sends each request as soon as it has the response before', async () => {
  let pauses = 0;
  const seen = new Set<Duplex>();
  await using server = await startWith(async (ctx, next) => {
    const { socket } = ctx.req;
    if (!seen.has(socket)) socket.on('pause', () => (pauses += 1));
    seen.add(socket);
    // As a session check, which waits for the touches of its turn.
    await setImmediate();
    await next();
  });
  const workerData = {
    ...{ port: Number(new URL(server.url).port), ca: readFileSync(server.caFile, 'utf8') },
    ...{ request: get(version), connections: 32, requests: 60 },
  };
  const client = new Worker(new URL('../support/eager-client.ts', import.meta.url), { workerData, execArgv: [] });
  expect(await once(client, 'message')).toEqual([32 * 60]);
  expect(pauses).toBe(0);
});

it('begins few requests of a client that does not read its responses, and the others when it does', async () => {
  const document = '/edge/client/v1/specs/edge-client/spec';
  let begun = 0;
  await using server = await startWith((ctx, next) => {
    if (ctx.path === document) begun += 1;
    return next();
  });
  const client = await open(server);
  client.socket.pause().write(get(document).repeat(400));
  await expect.poll(() => begun).toBeGreaterThan(0);
  // The buffers of the connection take some of the responses, of more than 100 KB each. The rest waits while another client is served.
  const other = await open(server);
  let [before, sent] = [0, 0];
  while (begun > before) {
    before = begun;
    for (let round = 0; round < 20; round += 1) {
      other.socket.write(get(version));
      sent += 1;
      await expect.poll(() => statusesIn(other.received).length).toBe(sent);
    }
  }
  expect(begun).toBeLessThan(100);
  client.socket.resume();
  await expect.poll(() => statusesIn(client.received).length).toBe(400);
  client.socket.destroy();
  other.socket.destroy();
});

it('works on nothing that a client sends behind a request to close the connection', async () => {
  const paths: string[] = [];
  await using server = await startWith((ctx, next) => {
    paths.push(ctx.path);
    return next();
  });
  const last = `GET ${version} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  const client = await open(server);
  client.socket.on('data', () => client.socket.write(get('/edge/client/v1/behind')));
  client.socket.on('error', () => undefined).write(last + get('/edge/client/v1/behind'));
  await ended(client.socket);
  expect(statusesIn(client.received)).toEqual([200]);
  expect(paths).toEqual([version]);
});
