import type { EdgeClient, EdgeEvents } from '@edge-controller/sdk';
import { memoryStorage } from '@edge-controller/sdk';
import { createEdgeClient, nodeFetch } from '@edge-controller/sdk/node';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';

const minute = 60_000;

let controller: TestController;
beforeAll(async () => {
  controller = await startTestController({ sessionTimeout: 30 * minute });
});
afterAll(() => controller[Symbol.asyncDispose]());

function record(edge: EdgeClient) {
  const seen: string[] = [];
  for (const name of ['extended', 'expiring', 'expired'] satisfies (keyof EdgeEvents)[])
    edge.on(name, () => seen.push(name));
  return seen;
}

it('informs a client that its session is about to end, once, and that it has ended', async () => {
  const members: object = { name: 'Ada', isAdmin: undefined };
  const ada = await controller.createIdentity(members);
  expect(ada.username).toBe('Ada@test');
  await using edge = await ada.signIn();
  const seen = record(edge);
  await controller.clock.advance(28 * minute);
  expect([seen, edge.state]).toEqual([[], 'active']);
  await controller.clock.advance(minute + 10_000);
  expect([seen, edge.state]).toEqual([['expiring'], 'active']);
  await controller.clock.advance(10_000);
  expect([seen, edge.state]).toEqual([['expiring'], 'active']);
  await controller.clock.advance(minute);
  expect([seen, edge.state, edge.session]).toEqual([['expiring', 'expired'], 'expired', null]);
});

it('a session that is used within its timeout stays, and its end moves', async () => {
  await using edge = await (await controller.createIdentity()).signIn();
  const seen = record(edge);
  for (let use = 0; use < 3; use += 1) {
    await controller.clock.advance(20 * minute);
    await edge.client.currentApiSession.get();
  }
  expect([seen, edge.state]).toEqual([['extended', 'extended', 'extended'], 'active']);
  expect(Number(edge.session?.expiresAt) - controller.clock.now()).toBeGreaterThan(29 * minute);
  await controller.clock.advance(30 * minute);
  expect([seen.at(-1), edge.state]).toEqual(['expired', 'expired']);
});

it('moves several clients, also one that an application has created, and none after its disposal', async () => {
  const { username, password } = await controller.createIdentity();
  const { url, ca, clock } = controller;
  await using one = createEdgeClient(url, { ca, clock });
  await using other = controller.client();
  await using machine = createEdgeClient(url, { ca });
  const gone = controller.client();
  for (const edge of [one, other, machine, gone]) await edge.signIn.password({ username, password });
  gone.dispose();
  const seen = [one, other, machine, gone].map(record);
  await clock.advance(31 * minute);
  expect(seen).toEqual([['expired'], ['expired'], [], []]);
  expect([one.state, other.state, machine.state]).toEqual(['expired', 'expired', 'active']);
});

it('a client that shares the session with one that uses it sees no false end', async () => {
  const { username, password } = await controller.createIdentity();
  const storage = memoryStorage();
  await using idle = controller.client({ storage });
  await using busy = controller.client({ storage });
  await busy.signIn.password({ username, password });
  await idle.restore();
  const seen = record(idle);
  await controller.clock.advance(20 * minute);
  await busy.client.currentApiSession.get();
  await controller.clock.advance(20 * minute);
  expect([seen.includes('expiring'), idle.state, busy.state]).toEqual([false, 'active', 'active']);
  await controller.clock.advance(11 * minute);
  expect([seen.at(-1), idle.state, busy.state]).toEqual(['expired', 'expired', 'expired']);
});

it('ends partial sessions', async () => {
  const person = await controller.createIdentity();
  await using first = await person.signIn();
  const { provisioningUrl, verify } = await first.mfa.enroll();
  await verify(controller.totp(provisioningUrl));
  await using edge = await person.signIn();
  const seen = record(edge);
  expect(edge.state).toBe('partial');
  await controller.clock.advance(29.5 * minute);
  expect([seen, edge.state]).toEqual([['expiring'], 'partial']);
  await controller.clock.advance(minute);
  expect([seen, edge.state]).toEqual([['expiring', 'expired'], 'expired']);
});

it('a client with keepAlive extends its session when the clock has jumped over two thirds of its time', async () => {
  await using edge = await (await controller.createIdentity()).signIn({ keepAlive: true });
  const seen = record(edge);
  for (let time = 0; time < 60; time += 25) await controller.clock.advance(25 * minute);
  expect([new Set(seen), edge.state]).toEqual([new Set(['extended']), 'active']);
});

it('a client with reauthenticate is stale after the end, and its next call signs in', async () => {
  const { username, password } = await controller.createIdentity();
  await using edge: EdgeClient = controller.client({
    reauthenticate: () => edge.signIn.password({ username, password }),
  });
  await edge.signIn.password({ username, password });
  const seen = record(edge);
  await controller.clock.advance(31 * minute);
  expect(edge.state).toBe('stale');
  await edge.client.currentApiSession.get();
  expect([edge.state, seen]).toEqual(['active', []]);
});

it('a client in doubt asks again at once', async () => {
  const { ca, clock, url } = controller;
  const send = nodeFetch({ ca });
  let isDown = false;
  await using edge = createEdgeClient(url, {
    ...{ clock, retries: 0 },
    fetch: (input, init) => (isDown ? Promise.reject(new TypeError('fetch failed')) : send(input, init)),
  });
  await edge.signIn.password(await controller.createIdentity());
  isDown = true;
  await expect(edge.client.currentApiSession.get()).rejects.toMatchObject({ name: 'EdgeNetworkError' });
  expect(edge.state).toBe('stale');
  await clock.advance(minute);
  expect(edge.state).toBe('stale');
  isDown = false;
  await clock.advance(minute);
  expect(edge.state).toBe('active');
});

it('a page that is shown after a sleep of the laptop knows at once that its session has ended', async () => {
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  vi.stubGlobal('document', document);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { ca, clock, url } = controller;
  // As the clock of a laptop, it does not tell that it has jumped.
  await using edge = createEdgeClient(url, { ca, clock: { now: clock.now } });
  await edge.signIn.password(await controller.createIdentity());
  await clock.advance(31 * minute);
  expect(edge.state).toBe('active');
  document.dispatchEvent(new Event('visibilitychange'));
  expect(await edge.waitFor(['expired', 'stale'], { timeout: 5_000 })).toBe('expired');
});
