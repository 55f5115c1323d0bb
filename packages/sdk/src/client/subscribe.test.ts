import { expect, test, vi } from 'vitest';
import { fakeController } from '../../test/support/fake-controller.ts';
import { mfaController, mfaQuery, palmQuery } from '../../test/support/mfa-controller.ts';
import { sharedArea } from '../../test/support/shared-area.ts';
import { createEdgeClient } from './create-edge-client.ts';
import type { EdgeClient } from './edge-client.ts';

const credentials = { username: 'alice', password: 'a password' };

/** What a subscriber finds, one entry for each call. Fails when nothing has changed since the last call. */
function follow({ subscribe, getSnapshot }: EdgeClient) {
  const received: string[] = [];
  let last = getSnapshot();
  const stop = subscribe(() => {
    const { state, session } = getSnapshot();
    expect(getSnapshot()).not.toBe(last);
    last = getSnapshot();
    received.push([state, ...(session?.authQueries ?? []).map(({ typeId }) => typeId)].join(' '));
  });
  return { received, stop };
}

test('a subscriber hears each change of the state once, and the snapshot is the same object until then', async () => {
  const { url, fetch, settings } = fakeController();
  const edge = createEdgeClient(url, { fetch, retries: 0 });
  const { received, stop } = follow(edge);
  expect(edge.getSnapshot()).toEqual({ state: 'signed-out', session: null });
  expect(edge.getSnapshot()).toBe(edge.getSnapshot());
  await edge.signIn.password(credentials);
  expect(received).toEqual(['active']);
  const snapshot = edge.getSnapshot();
  expect(snapshot.session).toBe(edge.session);
  await edge.management.identities.list();
  expect(edge.getSnapshot()).toBe(snapshot);
  settings.isDown = true;
  await expect(edge.management.identities.list()).rejects.toThrow();
  settings.isDown = false;
  await edge.management.identities.list();
  await edge.signIn.password(credentials);
  expect(received).toEqual(['active', 'stale', 'active', 'active']);
  await edge.signOut();
  stop();
  await edge.signIn.password(credentials);
  expect(received.slice(4)).toEqual(['signed-out']);
  expect(Object.isFrozen(edge.getSnapshot())).toBe(true);
  edge.dispose();
});

test('a subscriber hears when the end of the session moves, at most once a second', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  try {
    const { url, fetch } = fakeController();
    const edge = createEdgeClient(url, { fetch });
    await edge.signIn.password(credentials);
    const received: (number | undefined)[] = [];
    edge.subscribe(() => received.push(edge.getSnapshot().session?.expiresAt?.getTime()));
    const end = Number(edge.session?.expiresAt);
    for (let calls = 0; calls < 4; calls += 1) {
      await vi.advanceTimersByTimeAsync(300);
      await edge.management.identities.list();
    }
    await vi.advanceTimersByTimeAsync(2_000);
    expect(received.length).toBeLessThan(4);
    expect(received.at(-1)).toBe(end + 1_200);
    edge.dispose();
  } finally {
    vi.useRealTimers();
  }
});

test('a subscriber hears each answered query, also while a sign-in goes on, and every change of the session', async () => {
  await using controller = await mfaController(mfaQuery, palmQuery);
  const edge = createEdgeClient(controller.url);
  const { received } = follow(edge);
  await edge.signIn.password(credentials, {
    onAuthQuery: (query, answer) => query.typeId === 'MFA' && answer.totp('RIGHT'),
  });
  expect(received).toEqual(['partial MFA PALM', 'partial PALM']);
  controller.ask();
  await edge.client.currentApiSession.get();
  expect(received.slice(2)).toEqual(['active']);
  Object.assign(controller.settings.detail, { identity: { name: 'renamed' } });
  await edge.client.currentApiSession.get();
  expect(edge.getSnapshot().session?.identity.name).toBe('renamed');
  expect(received.slice(3)).toEqual(['active']);
  edge.dispose();
});

test('a subscriber hears what other tabs do, and nothing of a session that a listener ends at once', async () => {
  const { url, fetch } = fakeController();
  const area = sharedArea();
  const [one, other] = [1, 2].map(() => createEdgeClient(url, { fetch, storage: area.tab() })) as [
    EdgeClient,
    EdgeClient,
  ];
  const { received } = follow(other);
  expect(other.getSnapshot()).toEqual({ state: 'unknown', session: null });
  await one.signIn.password(credentials);
  await other.waitFor('active');
  await one.signOut();
  await other.waitFor('signed-out');
  expect(received).toEqual(['signed-out', 'active', 'signed-out']);
  other.on('stateChange', ({ state }) => void (state === 'active' && other.signOut()));
  await expect(other.signIn.password(credentials)).rejects.toMatchObject({ code: 'NO_SESSION' });
  expect(received.slice(3)).toEqual([]);
  one.dispose();
  other.dispose();
});
