import { expect, onTestFinished, test, vi } from 'vitest';
import { json, refuse, scriptedController } from '../../test/support/scripted-server.ts';
import type { EdgeClient } from '../index.ts';
import { createEdgeClient, memoryStorage } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };
const identity = { name: 'x', type: 'User', isAdmin: false } as const;

function record(edge: EdgeClient) {
  const events: string[] = [];
  edge.on('session', (session) => events.push(`session ${session.id}`));
  edge.on('expired', (session) => events.push(`expired ${session.id}`));
  edge.on('signedOut', (session) => events.push(`signedOut ${session.id}`));
  return events;
}

test('signs in, shows the session without its token and signs out', async () => {
  await using controller = await scriptedController();
  const edge = createEdgeClient(`${controller.url}/edge/client/v1`);
  const events = record(edge);
  expect(edge.session).toBeNull();
  const session = await edge.signIn.password(alice);
  expect(session).toMatchObject({
    state: 'full',
    identity: { id: 'identity-1', name: 'alice' },
    expirationSeconds: 1800,
  });
  expect(JSON.stringify(edge.session)).not.toContain('"token-1"');
  expect(Object.isFrozen(edge.session)).toBe(true);
  expect(controller.seen[0]).toMatchObject({ method: 'POST', path: '/edge/client/v1/authenticate?method=password' });
  await edge.signOut();
  expect(edge.session).toBeNull();
  expect(controller.live.size).toBe(0);
  expect(events).toEqual(['session id-of-token-1', 'signedOut id-of-token-1']);
});

test('a session is partial while it has authentication queries', async () => {
  await using controller = await scriptedController();
  controller.settings.detail = { authQueries: [{ provider: 'svc', typeId: 'MFA', scopes: null }] };
  const edge = createEdgeClient(controller.url);
  expect((await edge.signIn.password(alice)).state).toBe('partial');
  const events = record(edge);
  controller.settings.detail = {};
  await edge.client.currentApiSession.get();
  expect(edge.session?.state).toBe('full');
  expect(events).toEqual(['session id-of-token-1']);
});

test('the expiry is counted from the last response by the local clock, and the session object changes with it', async () => {
  await using controller = await scriptedController((_seen, response) => json(response, 200, { data: {}, meta: {} }));
  const edge = createEdgeClient(controller.url);
  const session = await edge.signIn.password(alice);
  expect(Math.abs(Number(session.expiresAt) - Date.now() - 1_800_000)).toBeLessThan(2000);
  const extended: unknown[] = [];
  edge.on('extended', (one) => extended.push(one));
  await edge.management.identities.delete('x');
  expect(edge.session).toBe(session);
  vi.useFakeTimers({ now: Date.now() + 5000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await edge.management.identities.delete('x');
  expect(Number(edge.session?.expiresAt) - Number(session.expiresAt)).toBeGreaterThan(4900);
  expect(extended).toEqual([edge.session]);
  expect(edge.session).toBe(edge.session);
});

test.each([true, false])('50 calls with an ended session emit one expired event (challenge: %s)', async (challenge) => {
  await using controller = await scriptedController();
  controller.settings.challenge = challenge;
  const edge = createEdgeClient(controller.url);
  await edge.signIn.password(alice);
  const events = record(edge);
  controller.live.clear();
  const calls = Array.from({ length: 50 }, () => edge.management.identities.create(identity));
  const results = await Promise.allSettled(calls);
  expect(results.every((result) => result.status === 'rejected' && result.reason.code === 'UNAUTHORIZED')).toBe(true);
  expect(events).toEqual(['expired id-of-token-1']);
  expect(edge.session).toBeNull();
});

test('a 401 for missing permission keeps the session', async () => {
  await using controller = await scriptedController((_seen, response) => refuse(response, 401, 'UNAUTHORIZED'));
  const edge = createEdgeClient(controller.url);
  await edge.signIn.password(alice);
  const events = record(edge);
  await expect(edge.management.identities.list()).rejects.toMatchObject({ status: 401 });
  expect(edge.session?.state).toBe('full');
  expect(events).toEqual([]);
});

test('a late 401 of an older session does not end the newer one', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await using controller = await scriptedController(async (_seen, response) => {
    await released;
    refuse(response, 401, 'UNAUTHORIZED');
  });
  const edge = createEdgeClient(controller.url);
  await edge.signIn.password(alice);
  const late = edge.management.identities.list();
  await expect.poll(() => controller.seen.at(-1)?.path).toContain('/identities');
  await edge.signIn.password(alice);
  release();
  await expect(late).rejects.toMatchObject({ status: 401 });
  expect(edge.session?.id).toBe('id-of-token-2');
});

test('reauthenticate runs once for 50 calls, and then all calls succeed', async () => {
  await using controller = await scriptedController((_seen, response) =>
    json(response, 201, { data: { id: 'new', _links: {} }, meta: {} }),
  );
  const edge: EdgeClient = createEdgeClient(controller.url, { reauthenticate: () => edge.signIn.password(alice) });
  await edge.signIn.password(alice);
  const events = record(edge);
  controller.live.clear();
  const ids = await Promise.all(Array.from({ length: 50 }, () => edge.management.identities.create(identity)));
  expect(ids.every(({ id }) => id === 'new')).toBe(true);
  expect(controller.signIns()).toBe(2);
  expect(events).toEqual(['session id-of-token-2']);
});

test('when reauthenticate throws, the session ends and the call rejects with its error', async () => {
  await using controller = await scriptedController();
  const edge = createEdgeClient(controller.url, {
    reauthenticate: () => Promise.reject(new Error('no password at hand')),
  });
  await edge.signIn.password(alice);
  const events = record(edge);
  controller.live.clear();
  await expect(edge.management.identities.list()).rejects.toThrow('no password at hand');
  expect(events).toEqual(['expired id-of-token-1']);
});

test('a listener that throws affects neither the client nor other listeners', async () => {
  await using controller = await scriptedController();
  const edge = createEdgeClient(controller.url);
  edge.on('session', () => {
    throw new Error('broken listener');
  });
  const events = record(edge);
  const off = edge.on('session', () => events.push('removed'));
  off();
  await edge.signIn.password(alice);
  expect(events).toEqual(['session id-of-token-1']);
});

test('restores the session from the storage when a call needs it, and removes an ended one from the storage', async () => {
  await using controller = await scriptedController((_seen, response) => json(response, 200, { data: [], meta: {} }));
  const storage = memoryStorage();
  await createEdgeClient(controller.url, { storage }).signIn.password(alice);
  const second = createEdgeClient(controller.url, { storage });
  await Promise.all([second.management.identities.list(), second.management.identities.list()]);
  expect(second.session?.identity.name).toBe('alice');
  expect((await createEdgeClient(controller.url, { storage }).restore())?.id).toBe('id-of-token-1');
  controller.live.clear();
  expect(await createEdgeClient(controller.url, { storage }).restore()).toBeNull();
  expect(await storage.get(`edge-session ${controller.url}`)).toBeNull();
});

test('a sign-out forgets the session whatever the controller does, and tells whether the controller knows', async () => {
  const controller = await scriptedController();
  const storage = memoryStorage();
  const edge = createEdgeClient(controller.url, { retries: 0, storage });
  const events = record(edge);
  await edge.signIn.password(alice);
  controller.live.clear();
  expect(await edge.signOut()).toEqual({ confirmed: true });
  expect(edge.session).toBeNull();
  expect(events).toEqual(['session id-of-token-1', 'signedOut id-of-token-1']);
  await edge.signIn.password(alice);
  await controller[Symbol.asyncDispose]();
  expect(await edge.signOut()).toMatchObject({ confirmed: false, error: { name: 'EdgeNetworkError' } });
  expect([edge.session, edge.state]).toEqual([null, 'signed-out']);
  expect(await storage.get(`edge-session ${controller.url}`)).toBeNull();
  expect(await edge.signOut()).toEqual({ confirmed: true });
});

test.each(['http://example.com', 'https://user:secret@example.com', 'localhost', 'ftp://localhost'])(
  'refuses the controller URL %s',
  (url) => {
    expect(() => createEdgeClient(url)).toThrow(TypeError);
    expect(() => createEdgeClient(url)).not.toThrow('secret');
  },
);
