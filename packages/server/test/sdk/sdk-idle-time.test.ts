import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgeClient, EdgeClientOptions, EdgeEvents } from '@edge-controller/sdk/node';
import { createEdgeClient, memoryStorage, nodeFetch } from '@edge-controller/sdk/node';
import { expect, onTestFinished, test } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController } from '../support/controller.ts';

const timeout = 2_500;
const look = '/edge/client/v1/current-api-session?touch=false';

async function start(sessionTimeout = timeout) {
  const server = await startController({ sessionTimeout });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const network = { isDown: false };
  const send = nodeFetch({ ca: [readFileSync(server.caFile, 'utf8')] });
  onTestFinished(() => send.close());
  const open = (options: EdgeClientOptions = {}) => {
    const edge = createEdgeClient(server.url, {
      retries: 0,
      fetch: async (input, init) => {
        if (network.isDown) throw new TypeError('fetch failed');
        const isController = (input instanceof Request ? input.url : String(input)).startsWith(server.url);
        return isController ? send(input, init) : fetch(input, init);
      },
      ...options,
    });
    onTestFinished(() => edge.dispose());
    return edge;
  };
  return { server, network, open };
}

function record(edge: EdgeClient) {
  const seen: string[] = [];
  for (const name of ['expiring', 'expired'] satisfies (keyof EdgeEvents)[]) edge.on(name, () => seen.push(name));
  edge.on('stateChange', ({ state }) => seen.push(state));
  return seen;
}

/** When the session ends, by the controller. */
async function endOf({ wire }: TestController, token: string): Promise<number> {
  const { body } = await wire('GET', look, { token });
  return Date.parse(body.data.expiresAt);
}

test('every tab knows the end of the session after each use in another one, and asks without a use of it', async () => {
  const { server, open } = await start();
  const storage = memoryStorage();
  const [first, second] = [open({ storage }), open({ storage })];
  await first.signIn.password(adminCredentials);
  const { token } = await first.client.currentApiSession.get();
  await second.waitFor('active');
  const seen = record(first);
  const reloaded = open({ storage });
  await sleep(400);
  const unused = await endOf(server, token);
  await reloaded.restore();
  expect(Math.abs((await endOf(server, token)) - unused)).toBeLessThan(50);
  // In the second after it.
  for (let use = 0; use < 3; use += 1) {
    await sleep(200);
    await reloaded.client.version.get();
    await reloaded.client.currentApiSession.get();
  }
  const end = await endOf(server, token);
  for (const edge of [first, second, reloaded]) {
    const known = () => Math.abs(Number(edge.session?.expiresAt) - end);
    await expect.poll(known).toBeLessThan(150);
  }
  // Nobody uses it any more: all of them find out, and nobody has extended it.
  await Promise.all([first, second, reloaded].map((edge) => edge.waitFor('expired', { timeout: 10_000 })));
  expect(Date.now() - end).toBeLessThan(2_000);
  expect(Date.now()).toBeGreaterThanOrEqual(end - 50);
  await expect.poll(() => seen).toEqual(['expiring', 'expired', 'expired']);
});

test('a tab that has asked the controller nothing yet does not warn of a session that somebody else uses', async () => {
  const { server, open } = await start();
  const storage = memoryStorage();
  const [first, second] = [open({ storage }), open({ storage })];
  await first.signIn.password(adminCredentials);
  const { token } = await first.client.currentApiSession.get();
  await second.waitFor('active');
  const seen = [first, second].map(record);
  for (let use = 0; use < 4; use += 1) {
    await sleep(timeout / 2);
    await server.wire('GET', '/edge/client/v1/current-identity', { token });
  }
  expect(seen).toEqual([[], []]);
});

test('a client whose clock was set back learns the end of the session before it warns', async () => {
  const { server, open } = await start();
  let jump = 0;
  const edge = open({ clock: { now: () => Date.now() + jump } });
  await edge.signIn.password(adminCredentials);
  const { token } = await edge.client.currentApiSession.get();
  const seen = record(edge);
  jump = -3_600_000;
  await expect.poll(() => seen, { timeout: 2 * timeout }).toEqual(['expiring', 'expired', 'expired']);
  expect((await server.wire('GET', look, { token })).status).toBe(401);
});

test('a client that only its own backend serves does not warn, and every tab knows the end of the session', async () => {
  const { server, open } = await start();
  const backend = createServer(async (request, response) => {
    const token = String(request.headers['svc-session']);
    const { headers } = await server.wire('GET', '/edge/client/v1/current-api-session', { token });
    response.setHeader('svc-session-expires-in', String(headers['svc-session-expires-in'])).end('hello');
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void backend.close().closeAllConnections());
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  const storage = memoryStorage();
  const fetches = { storage, origins: [url] };
  const [edge, other] = [open(fetches), open(fetches)];
  await edge.signIn.password(adminCredentials);
  await other.waitFor('active');
  const seen = [edge, other].map(record);
  for (let use = 0; use < 16; use += 1) {
    await sleep(300);
    expect(await (await edge.fetch(`${url}/hello`)).text()).toBe('hello');
  }
  expect(seen).toEqual([[], []]);
  const left = () => [edge, other].map(({ session }) => Number(session?.expiresAt) - Date.now());
  await expect.poll(() => Math.min(...left())).toBeGreaterThan(timeout - 1_500);
});

test('a backend cannot shorten the session, nor make it longer than its timeout', async () => {
  const { open } = await start(60_000);
  const answers = ['1', '100000000', 'soon', '-5', ''];
  const backend = createServer((_request, response) =>
    response.setHeader('svc-session-expires-in', answers.shift() ?? '').end(),
  );
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void backend.close().closeAllConnections());
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  const edge = open({ origins: [url] });
  await edge.signIn.password(adminCredentials);
  const ends: number[] = [Number(edge.session?.expiresAt)];
  while (answers.length > 0) {
    await sleep(20);
    await edge.fetch(url).catch(() => undefined);
    ends.push(Number(edge.session?.expiresAt));
  }
  expect(Math.max(...ends)).toBeLessThanOrEqual(Date.now() + 60_000);
  expect(ends.toSorted()).toEqual(ends);
});

test('a stale session is active again without a call when the controller is back, and its end is the same', async () => {
  const { network, open } = await start(60_000);
  const edge = open();
  await edge.signIn.password(adminCredentials);
  const before = Number(edge.session?.expiresAt);
  network.isDown = true;
  await sleep(300);
  await expect(edge.client.currentApiSession.get()).rejects.toMatchObject({ name: 'EdgeNetworkError' });
  expect(edge.state).toBe('stale');
  await sleep(1_500);
  expect(edge.state).toBe('stale');
  network.isDown = false;
  await edge.waitFor('active', { timeout: 10_000 });
  expect(Math.abs(Number(edge.session?.expiresAt) - before)).toBeLessThan(150);
});

test('a session that ended while the controller could not be reached expires when it is back', async () => {
  const { network, open } = await start(1_500);
  const edge = open();
  await edge.signIn.password(adminCredentials);
  network.isDown = true;
  await edge.waitFor('stale', { timeout: 10_000 });
  await sleep(1_600);
  expect(edge.session).not.toBeNull();
  network.isDown = false;
  await edge.waitFor('expired', { timeout: 10_000 });
});

test('nobody knows whether there is a session: the state says it, and becomes known by itself', async () => {
  const { server, network, open } = await start(60_000);
  const storage = memoryStorage();
  const first = open({ storage });
  expect(first.state).toBe('unknown');
  await first.waitFor('signed-out', { timeout: 10_000 });
  await first.signIn.password(adminCredentials);
  first.dispose();

  const later = open({ storage });
  await sleep(100);
  expect([later.state, later.session]).toEqual(['unknown', null]);
  network.isDown = true;
  await expect(later.restore()).rejects.toMatchObject({ name: 'EdgeNetworkError' });
  expect([later.state, later.session]).toEqual(['unknown', null]);
  network.isDown = false;
  await later.waitFor('active', { timeout: 10_000 });
  const { token } = await later.client.currentApiSession.get();
  later.dispose();

  await server.wire('DELETE', '/edge/client/v1/current-api-session', { token });
  const ended = open({ storage });
  network.isDown = true;
  await expect(ended.restore()).rejects.toMatchObject({ name: 'EdgeNetworkError' });
  network.isDown = false;
  await ended.waitFor('signed-out', { timeout: 10_000 });
  expect(await storage.get(`edge-session ${server.url}`)).toBeNull();
});

test('a sign-out while nobody knows whether there is a session removes the token', async () => {
  const { server, network, open } = await start(60_000);
  const storage = memoryStorage();
  const first = open({ storage });
  await first.signIn.password(adminCredentials);
  first.dispose();
  network.isDown = true;
  const [edge, other] = [open({ storage }), open({ storage })];
  expect((await edge.signOut()).confirmed).toBe(false);
  expect([edge.state, await storage.get(`edge-session ${server.url}`)]).toEqual(['signed-out', null]);
  await other.waitFor('signed-out', { timeout: 10_000 });
});
