import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ApiSessionRecord } from './session-store.ts';
import type { SessionStoreUnderTest } from './store-under-test.contract.ts';

/** The part of the contract suite about the data of sessions. */
export function itStoresSessionData(
  open: (timeout: number) => Promise<SessionStoreUnderTest>,
  newSession: () => ApiSessionRecord,
): void {
  it('stores data of a session, for this session and under this name only', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const [first, second] = [newSession(), newSession()];
    await store.create(first, { posture: '{"a":1}' });
    await store.create(second);
    const hashes = [second.tokenHash, first.tokenHash, 'unknown'];
    expect(await store.data.read(hashes, 'posture')).toEqual([null, '{"a":1}', null]);
    expect(await store.data.read(hashes, 'refusals')).toEqual([null, null, null]);
    const change = { before: null, after: '{"list":["é"]}' };
    expect(await store.data.replace(second.tokenHash, 'refusals', change)).toBe('replaced');
    expect(await store.data.read(hashes, 'refusals')).toEqual([change.after, null, null]);
    expect((await store.touch(second.tokenHash)).session).toMatchObject(second);
    expect(await store.data.read([], 'posture')).toEqual([]);
  });

  it('lets one of several concurrent changes win', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const { tokenHash, ...rest } = newSession();
    await store.create({ ...rest, tokenHash });
    for (const [before, after] of [
      [null, '{"at":0}'],
      ['{"at":0}', '{"at":1}'],
    ] as const) {
      const changes = Array.from({ length: 20 }, () => store.data.replace(tokenHash, 'posture', { before, after }));
      const results = await Promise.all(changes);
      expect(results.filter((result) => result === 'replaced')).toHaveLength(1);
      expect(results.filter((result) => result === 'changed')).toHaveLength(19);
      expect(await store.data.read([tokenHash], 'posture')).toEqual([after]);
    }
  });

  it('removes the data together with the session, and never creates a session', async () => {
    await using opened = await open(500);
    const { store } = opened;
    const [removed, expired] = [newSession(), newSession()];
    for (const session of [removed, expired]) await store.create(session, { posture: '{"a":1}' });
    const change = { before: '{"a":1}', after: '{"a":2}' };
    await store.remove(removed);
    await sleep(200);
    // A change does not restart the timeout.
    expect(await store.data.replace(expired.tokenHash, 'posture', change)).toBe('replaced');
    await expect.poll(() => store.find(expired.id), { timeout: 400 }).toBeNull();
    for (const { tokenHash } of [removed, expired]) {
      expect(await store.data.replace(tokenHash, 'posture', { before: null, after: '{}' })).toBe('no session');
      expect(await store.data.read([tokenHash], 'posture')).toEqual([null]);
      expect((await store.touch(tokenHash)).session).toBeNull();
    }
  });
}
