import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Query } from '../../core/filter/page.ts';
import { systemClock } from '../../core/time/clock.ts';
import { serviceSessionId } from './service-session-id.ts';
import type { ServiceSessionType, StoredServiceSession } from './service-sessions.ts';
import type { ApiSessionRecord, SessionStore } from './session-store.ts';
import type { SessionStoreUnderTest } from './store-under-test.contract.ts';

function sessionOf(
  { id, tokenHash, identityId }: ApiSessionRecord,
  serviceId: string,
  type: ServiceSessionType = 'Dial',
): StoredServiceSession {
  const apiSession = { id, tokenHash, identityId };
  const createdAt = systemClock();
  return {
    id: serviceSessionId({ apiSessionId: id, type, serviceId }),
    type,
    serviceId,
    tags: {},
    createdAt,
    apiSession,
  };
}

const limit = 10;
const byId = (left: { id: string }, right: { id: string }) => (left.id < right.id ? -1 : 1);

async function all(store: SessionStore, identityId?: string) {
  const found: StoredServiceSession[] = [];
  for await (const batch of store.serviceSessions.batches(identityId)) found.push(...batch);
  return found.toSorted(byId);
}

async function list(store: SessionStore, query: Query, identityId?: string) {
  const { batches, pagination } = await store.serviceSessions.list(query, identityId);
  const rows: StoredServiceSession[] = [];
  for await (const batch of batches) rows.push(...batch);
  return { rows, totalCount: pagination?.totalCount };
}

/** The part of the contract suite about the sessions of services. */
export function itStoresServiceSessions(
  open: (timeout: number) => Promise<SessionStoreUnderTest>,
  newSession: (changes?: Partial<ApiSessionRecord>) => ApiSessionRecord,
): void {
  it('opens one session for each service and type, and finds it by its id', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const [one, other] = [newSession(), newSession()];
    await Promise.all([store.create(one), store.create(other)]);
    const session = { ...sessionOf(one, 'service1'), tags: { a: 'é"', b: null } };
    const { apiSession: _, ...stored } = session;
    expect(await store.serviceSessions.present(session)).toBeNull();
    expect(await store.serviceSessions.open(session, limit)).toEqual(stored);
    expect(await store.serviceSessions.present(session)).toEqual(stored);
    for (const wanted of [{ type: 'Bind' }, { serviceId: 'another' }] as const) {
      expect(await store.serviceSessions.present({ ...session, ...wanted })).toBeNull();
    }
    const again = sessionOf(one, 'service1');
    expect(await store.serviceSessions.open(again, limit)).toEqual(stored);
    expect(await store.serviceSessions.find(session.id)).toEqual(session);
    for (const id of [again.id, one.id, `${one.id}x`, '', 'unknown']) {
      expect(await store.serviceSessions.find(id)).toBeNull();
    }
    const others = [sessionOf(one, 'service1', 'Bind'), sessionOf(one, 'service2'), sessionOf(other, 'service1')];
    for (const each of others) expect(await store.serviceSessions.open(each, limit)).toMatchObject({ id: each.id });
    expect((await store.serviceSessions.ofApiSession(one)).toSorted(byId)).toEqual(
      [session, ...others.slice(0, 2)].toSorted(byId),
    );
    expect(await all(store)).toEqual([session, ...others].toSorted(byId));
    expect(await all(store, other.identityId)).toEqual(others.slice(2));
    expect(await all(store, 'nobody')).toEqual([]);
    expect((await store.touch(one.tokenHash)).session).toMatchObject(one);
  });

  it('removes a session for exactly one of several callers, and none that has taken its place', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const apiSession = newSession();
    await store.create(apiSession);
    const session = sessionOf(apiSession, 'a');
    await store.serviceSessions.open(session, limit);
    const removals = Array.from({ length: 20 }, () => store.serviceSessions.remove(session));
    expect((await Promise.all(removals)).filter(Boolean)).toHaveLength(1);
    expect(await store.serviceSessions.find(session.id)).toBeNull();
    const next = sessionOf(apiSession, 'a');
    await store.serviceSessions.open(next, limit);
    expect(await store.serviceSessions.remove(session)).toBe(false);
    expect(await all(store)).toEqual([next]);
  });

  it('removes the sessions of an API session in the same moment, whatever ends it', async () => {
    await using opened = await open(600);
    const { store } = opened;
    const ways: readonly ((session: ApiSessionRecord) => Promise<unknown>)[] = [
      (session) => store.remove(session),
      ({ identityId }) => store.removeByIdentity(identityId),
      () => sleep(700),
    ];
    for (const end of ways) {
      const apiSession = newSession();
      const session = sessionOf(apiSession, 'a');
      await store.create(apiSession);
      await store.serviceSessions.open(session, limit);
      await end(apiSession);
      expect(await store.serviceSessions.find(session.id)).toBeNull();
      expect(await store.serviceSessions.ofApiSession(apiSession)).toEqual([]);
      expect(await all(store, apiSession.identityId)).toEqual([]);
      expect(await store.serviceSessions.remove(session)).toBe(false);
      expect(await store.serviceSessions.open(session, limit)).toBe('no session');
      expect(await store.serviceSessions.present(session)).toBeNull();
      expect((await store.touch(apiSession.tokenHash)).session).toBeNull();
      await expect.poll(async () => (await list(store, {})).totalCount, { timeout: 3_000 }).toBe(0);
    }
  });

  it('opens no more than the limit, however many open at once', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const apiSession = newSession();
    await store.create(apiSession);
    const opening = Array.from({ length: 50 }, (_, at) =>
      store.serviceSessions.open(sessionOf(apiSession, `s${at}`), limit),
    );
    const results = await Promise.all(opening);
    expect(results.filter((result) => result === 'full')).toHaveLength(40);
    const stored = await all(store);
    expect(stored).toHaveLength(10);
    // One that is there already needs no room.
    const present = sessionOf(apiSession, stored[0]!.serviceId);
    expect(await store.serviceSessions.open(present, limit)).toMatchObject({ id: stored[0]!.id });
    expect((await list(store, {})).totalCount).toBe(10);
  });

  it('lists sessions by any filter and in any order, and those of one identity', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const [ada, bob] = [newSession({ identityId: 'ada' }), newSession({ identityId: 'bob' })];
    const second = newSession({ identityId: 'ada' });
    for (const each of [ada, bob, second]) await store.create(each);
    const sessions: StoredServiceSession[] = [];
    for (const [at, apiSession] of [ada, bob, second, ada, bob, second, ada].entries()) {
      const type = at % 2 === 0 ? 'Dial' : 'Bind';
      const session = { ...sessionOf(apiSession, `s${at}`, type), tags: { at }, createdAt: 1_000 - at };
      sessions.push(session);
      await store.serviceSessions.open(session, limit);
    }
    const expected = (keep: (session: StoredServiceSession) => boolean) => sessions.filter(keep).toSorted(byId);
    const filters: readonly [string, (session: StoredServiceSession) => boolean][] = [
      [`identity = "ada"`, ({ apiSession }) => apiSession.identityId === 'ada'],
      [`apiSession = "${second.id}"`, ({ apiSession }) => apiSession.id === second.id],
      [
        `identity = "bob" and type = "Dial"`,
        ({ apiSession, type }) => apiSession.identityId === 'bob' && type === 'Dial',
      ],
      [`service = "s3"`, ({ serviceId }) => serviceId === 's3'],
      [`service in ["s3", "s4"] or type = "Dial"`, ({ serviceId, type }) => /s[34]/.test(serviceId) || type === 'Dial'],
      [`tags.at > 3`, ({ tags }) => Number(tags.at) > 3],
      [`id = "${sessions[5]!.id}"`, ({ id }) => id === sessions[5]!.id],
      [`token = "${sessions[5]!.id}"`, ({ id }) => id === sessions[5]!.id],
      [`id = "unknown"`, () => false],
      ['true', () => true],
    ];
    for (const [filter, keep] of filters) {
      const rows = expected(keep);
      expect(await list(store, { filter }), filter).toEqual({ rows, totalCount: rows.length });
      const own = rows.filter(({ apiSession }) => apiSession.identityId === 'ada');
      expect(await list(store, { filter }, 'ada'), filter).toEqual({ rows: own, totalCount: own.length });
    }
    const byTime = sessions.toReversed();
    expect(await list(store, { sort: 'createdAt', limit: 3, offset: 2 })).toEqual({
      rows: byTime.slice(2, 5),
      totalCount: 7,
    });
    const byIds = expected(() => true);
    expect(await list(store, { limit: 3, offset: 2 })).toEqual({ rows: byIds.slice(2, 5), totalCount: 7 });
    expect(await list(store, { sort: 'id desc', limit: 3 })).toEqual({
      rows: byIds.toReversed().slice(0, 3),
      totalCount: 7,
    });
    expect(await list(store, { limit: -1 })).toEqual({ rows: byIds, totalCount: 7 });
    await expect(list(store, { filter: 'color = "red"' })).rejects.toMatchObject({ code: 'INVALID_FILTER' });
  });

  it('never brings back an API session when sessions are opened and removed during its end', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    for (let round = 0; round < 50; round += 1) {
      const apiSession = newSession();
      await store.create(apiSession);
      const session = sessionOf(apiSession, 'a');
      const openAnother = (serviceId: string) => store.serviceSessions.open(sessionOf(apiSession, serviceId), limit);
      await Promise.all([
        store.serviceSessions.open(session, limit),
        store.remove(apiSession),
        openAnother('b'),
        store.serviceSessions.remove(session),
      ]);
      expect(await openAnother('c')).toBe('no session');
      expect((await store.touch(apiSession.tokenHash)).session).toBeNull();
      expect(await store.serviceSessions.ofApiSession(apiSession)).toEqual([]);
    }
    expect((await list(store, {})).totalCount).toBe(0);
  });

  it('has a version of the rights, which changes when somebody may have lost one', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const first = await store.rightsVersion();
    await store.bumpVersion();
    expect(await store.rightsVersion()).toBe(first);
    await store.bumpRightsVersion();
    const second = await store.rightsVersion();
    expect(second).not.toBe(first);
    expect(await store.rightsVersion()).toBe(second);
  });
}
