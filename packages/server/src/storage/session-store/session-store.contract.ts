import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Query } from '../../core/filter/page.ts';
import { secretToken, sessionId, shortId, tokenHash } from '../../core/secrets/ids.ts';
import { systemClock } from '../../core/time/clock.ts';
import { itStoresServiceSessions } from './service-sessions.contract.ts';
import { itStoresSessionCertificates } from './session-certificates.contract.ts';
import { itStoresSessionData } from './session-data.contract.ts';
import { itListsSessions } from './session-list.contract.ts';
import type { ApiSessionRecord, LiveApiSession, SessionStore } from './session-store.ts';
import type { SessionStoreUnderTest } from './store-under-test.contract.ts';

function newSession(changes: Partial<ApiSessionRecord> = {}): ApiSessionRecord {
  const now = systemClock();
  return {
    id: sessionId(Date.now()),
    tokenHash: tokenHash(secretToken()),
    sealedToken: 'sealed',
    identityId: shortId(),
    authenticatorId: shortId(),
    credentialVersion: 0,
    ipAddress: '192.0.2.1',
    configTypes: [],
    createdAt: now,
    updatedAt: now,
    method: 'password',
    caId: null,
    caVersion: 0,
    signerId: null,
    signerVersion: 0,
    isCertExtendable: false,
    improperClientCertChain: false,
    isMfaRequired: false,
    isMfaComplete: false,
    mfaId: null,
    mfaPassedAt: null,
    usesRouters: false,
    tokenReadBy: null,
    endsAt: null,
    ...changes,
  };
}

async function rowsOf(store: SessionStore, query: Query): Promise<LiveApiSession[]> {
  const rows: LiveApiSession[] = [];
  for await (const batch of (await store.list(query)).batches) rows.push(...batch);
  return rows;
}

/** The contract suite of the session store. `open` opens an empty store; `timeout` is in milliseconds. */
export function describeSessionStore(name: string, open: (timeout: number) => Promise<SessionStoreUnderTest>): void {
  describe(`session store on ${name}`, () => {
    it('reads a stored session by token and by id, with the time of the last touch', async () => {
      await using opened = await open(60_000);
      const { store } = opened;
      const issuers = { caId: 'a CA', caVersion: 2, signerId: 'a signer', signerVersion: 3 };
      const record = newSession({ configTypes: ['a', 'b'], isMfaRequired: true, ...issuers });
      await store.create(record);
      expect(await store.find(record.id)).toMatchObject(record);
      await sleep(30);
      const { session } = await store.touch(record.tokenHash);
      expect(session).toMatchObject(record);
      expect(Math.abs((session?.lastActivityAt ?? 0) - systemClock())).toBeLessThan(500);
      expect((session?.expiresAt ?? 0) - (session?.lastActivityAt ?? 0)).toBe(60_000);
      const found = await store.find(record.id);
      expect(Math.abs((found?.lastActivityAt ?? 0) - (session?.lastActivityAt ?? 0))).toBeLessThan(50);
      expect((await store.touch('unknown')).session).toBeNull();
      expect(await store.find('unknown')).toBeNull();
    });

    it('expires a session that is not touched, and keeps one that is', async () => {
      await using opened = await open(400);
      const { store } = opened;
      // The first list starts what lists need. That may take longer than this timeout.
      await store.list({});
      const [idle, used] = [newSession(), newSession()];
      await store.create(idle);
      await store.create(used);
      for (let round = 0; round < 6; round += 1) {
        await sleep(120);
        expect((await store.touch(used.tokenHash)).session?.id).toBe(used.id);
      }
      expect((await store.touch(idle.tokenHash)).session).toBeNull();
      expect(await store.find(idle.id)).toBeNull();
      expect(await store.remove(idle)).toBe(false);
      expect(await store.update(idle.tokenHash, { isMfaComplete: true })).toBe(false);
      expect((await rowsOf(store, {})).map(({ id }) => id)).toEqual([used.id]);
      await store.touch(used.tokenHash);
      expect((await store.list({})).pagination?.totalCount).toBe(1);
      expect(await store.identitiesWithSessions([idle.identityId, used.identityId])).toEqual(
        new Set([used.identityId]),
      );
    });

    it('ends a session at its own end, whatever touches it', async () => {
      await using opened = await open(60_000);
      const { store } = opened;
      const endsAt = systemClock() + 1_000;
      const record = newSession({ endsAt });
      const other = newSession({ endsAt: systemClock() + 3_600_000 });
      const first = await store.create(record);
      expect(first.session).toMatchObject({ endsAt, expiresAt: endsAt });
      const { session: created } = await store.create(other);
      expect(created.expiresAt).toBe(created.lastActivityAt + 60_000);
      await sleep(200);
      const used = systemClock();
      expect((await store.touch(record.tokenHash)).session).toMatchObject({ endsAt, expiresAt: endsAt });
      await sleep(200);
      for (const read of [await store.find(record.id), (await store.peek(record.tokenHash)).session]) {
        expect(Math.abs((read?.lastActivityAt ?? 0) - used)).toBeLessThan(100);
        expect(Math.abs((read?.expiresAt ?? 0) - endsAt)).toBeLessThan(50);
      }
      while (systemClock() < endsAt) {
        await store.touch(record.tokenHash);
        await store.update(record.tokenHash, { isMfaComplete: true });
        await sleep(20);
      }
      expect((await store.touch(record.tokenHash)).session).toBeNull();
      await sleep(50);
      expect((await store.peek(record.tokenHash)).session).toBeNull();
      expect(await store.find(record.id)).toBeNull();
      expect(await store.load([record.tokenHash, other.tokenHash])).toHaveLength(1);
      expect(await store.update(record.tokenHash, { isMfaComplete: true })).toBe(false);
      expect(await store.remove(record)).toBe(false);
      expect((await rowsOf(store, {})).map(({ id }) => id)).toEqual([other.id]);
      expect(await store.identitiesWithSessions([record.identityId])).toEqual(new Set());
      expect((await store.touch(other.tokenHash)).session?.id).toBe(other.id);
    });

    it('peeks at a session without a use of it', async () => {
      await using opened = await open(1_000);
      const { store } = opened;
      const record = newSession({ isMfaRequired: true });
      const { session: created, version } = await store.create(record);
      await sleep(200);
      const { session, version: seen } = await store.peek(record.tokenHash);
      expect(session).toMatchObject(record);
      expect(session?.record).toMatchObject(record);
      expect(seen).toBe(version);
      for (const time of ['lastActivityAt', 'expiresAt'] as const) {
        expect(Math.abs((session?.[time] ?? 0) - created[time])).toBeLessThan(50);
      }
      expect((await store.peek('unknown')).session).toBeNull();
      await store.bumpVersion();
      expect((await store.peek(record.tokenHash)).version).not.toBe(version);
      // However often somebody peeks, the session ends.
      for (let round = 0; round < 7; round += 1) {
        await sleep(150);
        await store.peek(record.tokenHash);
      }
      expect((await store.peek(record.tokenHash)).session).toBeNull();
      expect((await store.touch(record.tokenHash)).session).toBeNull();
    });

    it('changes the flags of a session and never creates one', async () => {
      await using opened = await open(60_000);
      const { store } = opened;
      const record = newSession({ isMfaRequired: true });
      expect(await store.update(record.tokenHash, { isMfaComplete: true })).toBe(false);
      expect((await store.touch(record.tokenHash)).session).toBeNull();
      await store.create(record);
      expect(await store.update(record.tokenHash, { isMfaComplete: true })).toBe(true);
      expect((await store.touch(record.tokenHash)).session).toMatchObject({ isMfaRequired: true, isMfaComplete: true });
      expect(await store.update(record.tokenHash, { mfaId: 'm1' })).toBe(true);
      expect((await store.touch(record.tokenHash)).session).toMatchObject({ mfaId: 'm1', usesRouters: false });
      expect(await store.update(record.tokenHash, { usesRouters: true, tokenReadBy: 'reader' })).toBe(true);
      const last = { isMfaComplete: true, mfaId: 'm1', usesRouters: true, tokenReadBy: 'reader' };
      expect((await store.touch(record.tokenHash)).session).toMatchObject(last);
      expect(await store.load([record.tokenHash])).toMatchObject([last]);
    });

    it('returns the same record at each touch until the session changes', async () => {
      await using opened = await open(60_000);
      const { store } = opened;
      const [record, other] = [newSession({ configTypes: ['a'] }), newSession()];
      for (const one of [record, other]) await store.create(one);
      const recordOf = async ({ tokenHash } = record) => (await store.touch(tokenHash)).session?.record;
      const first = await recordOf();
      expect(first).toMatchObject(record);
      expect(await recordOf(other)).toMatchObject(other);
      expect(await recordOf()).toBe(first);
      const changes = [{ isMfaRequired: true }, { isMfaComplete: true }, { mfaId: 'm1' }, { isMfaComplete: false }];
      let present = first;
      let expected = record;
      for (const change of changes) {
        await store.update(record.tokenHash, change);
        expected = { ...expected, ...change };
        const { updatedAt: _, ...members } = expected;
        const changed = await recordOf();
        expect(changed).not.toBe(present);
        expect(changed).toMatchObject(members);
        expect(await recordOf()).toBe(changed);
        present = changed;
      }
      expect(first).toMatchObject(record);
      await store.remove(record);
      expect(await recordOf()).toBeUndefined();
    });

    it('returns a new session with the version of the entities', async () => {
      await using opened = await open(60_000);
      const { store } = opened;
      const record = newSession();
      const first = await store.create(record);
      expect(first.session).toMatchObject(record);
      expect((await store.touch(first.session.tokenHash)).version).toBe(first.version);
      await store.bumpVersion();
      const second = await store.create(newSession());
      expect(second.version).not.toBe(first.version);
      expect((await store.touch(first.session.tokenHash)).version).toBe(second.version);
    });

    it('lets exactly one of 100 concurrent callers remove a session', async () => {
      await using opened = await open(60_000);
      const record = newSession();
      await opened.store.create(record);
      const won = await Promise.all(Array.from({ length: 100 }, () => opened.store.remove(record)));
      expect(won.filter(Boolean)).toHaveLength(1);
    });

    it('never brings back a removed session when touches and updates race with the removal', async () => {
      await using opened = await open(60_000);
      const { store } = opened;
      for (let round = 0; round < 100; round += 1) {
        const record = newSession();
        await store.create(record);
        await Promise.all([
          store.touch(record.tokenHash),
          store.update(record.tokenHash, { isMfaComplete: true }),
          store.remove(record),
          store.touch(record.tokenHash),
          store.update(record.tokenHash, { isMfaRequired: true }),
        ]);
        expect((await store.touch(record.tokenHash)).session).toBeNull();
        expect(await store.find(record.id)).toBeNull();
      }
      expect((await store.list({})).pagination?.totalCount).toBe(0);
    });

    it('removes all sessions of an identity, and no others', async () => {
      await using opened = await open(60_000);
      const { store } = opened;
      const own = Array.from({ length: 20 }, () => newSession({ identityId: 'own' }));
      const other = newSession({ identityId: 'other' });
      await Promise.all([...own, other].map((record) => store.create(record)));
      expect(await store.identitiesWithSessions(['own', 'other', 'none'])).toEqual(new Set(['own', 'other']));
      expect(await store.removeByIdentity('own')).toBe(20);
      expect(await store.removeByIdentity('own')).toBe(0);
      expect((await rowsOf(store, { limit: -1 })).map(({ id }) => id)).toEqual([other.id]);
      expect(await store.identitiesWithSessions(['own', 'other'])).toEqual(new Set(['other']));
    });

    it('removes only the selected sessions of an identity', async () => {
      await using opened = await open(60_000);
      const { store } = opened;
      const own = (authenticatorId: string) => newSession({ identityId: 'own', authenticatorId });
      const [kept, first, second, other] = [own('a'), own('a'), own('b'), newSession({ authenticatorId: 'a' })];
      await Promise.all([kept, first, second, other].map((record) => store.create(record)));
      expect(
        await store.removeByIdentity('own', (session) => session.authenticatorId === 'a' && session.id !== kept.id),
      ).toBe(1);
      expect((await rowsOf(store, { limit: -1 })).map(({ id }) => id).sort()).toEqual(
        [kept.id, second.id, other.id].sort(),
      );
      expect(await store.removeByIdentity('own', ({ id }) => id !== kept.id)).toBe(1);
      expect(await store.removeByIdentity('own', ({ authenticatorId }) => authenticatorId === 'b')).toBe(0);
      expect((await store.touch(kept.tokenHash)).session?.id).toBe(kept.id);
    });

    it('returns a new version after each bump, and the same version without a bump', async () => {
      await using opened = await open(60_000);
      const seen = [(await opened.store.touch('x')).version];
      expect((await opened.store.touch('x')).version).toBe(seen[0]);
      for (let bump = 0; bump < 5; bump += 1) {
        await opened.store.bumpVersion();
        seen.push((await opened.store.touch('x')).version);
      }
      expect(new Set(seen).size).toBe(6);
    });

    it('pages, filters and sorts', async () => {
      await using opened = await open(60_000);
      const { store } = opened;
      const records = Array.from({ length: 1_203 }, (_, at) =>
        newSession({
          identityId: at % 3 === 0 ? 'three' : 'rest',
          ipAddress: `10.0.0.${at % 7}`,
          isMfaComplete: at < 5,
        }),
      );
      // More at once wait too long for Redis on a busy machine.
      for (let at = 0; at < records.length; at += 50) {
        await Promise.all(records.slice(at, at + 50).map((record) => store.create(record)));
      }
      const ids = records.map(({ id }) => id).sort();
      expect((await rowsOf(store, {})).map(({ id }) => id)).toEqual(ids.slice(0, 10));
      expect((await rowsOf(store, { limit: 20, offset: 40 })).map(({ id }) => id)).toEqual(ids.slice(40, 60));
      expect(await rowsOf(store, { limit: -1, offset: 3 })).toEqual([]);
      expect((await store.list({ limit: -1 })).pagination).toEqual({ limit: 'none', offset: 0, totalCount: 1_203 });
      expect((await store.list({ filter: 'identity = "three"' })).pagination?.totalCount).toBe(401);
      expect(await rowsOf(store, { filter: 'identity = "three" limit none' })).toHaveLength(401);
      expect((await store.list({ filter: 'mfaComplete' })).pagination?.totalCount).toBe(5);
      expect((await store.list({ filter: 'not mfaComplete and identity = "rest"' })).pagination?.totalCount).toBe(
        1_200,
      );
      expect((await store.list({ filter: `id in ["${ids[0]}","${ids[9]}"]` })).pagination?.totalCount).toBe(2);
      expect((await store.list({ filter: 'createdAt < datetime(2000-01-01T00:00:00Z)' })).pagination?.totalCount).toBe(
        0,
      );
      expect((await store.list({ filter: 'tags.a = null and not isSystem' })).pagination?.totalCount).toBe(1_203);
      const sorted = await rowsOf(store, { sort: 'ipAddress desc, id desc', limit: 500 });
      const expected = records
        .map(({ ipAddress, id }) => `${ipAddress} ${id}`)
        .sort()
        .reverse();
      expect(sorted.map(({ ipAddress, id }) => `${ipAddress} ${id}`)).toEqual(expected.slice(0, 500));
    });

    itListsSessions(open, newSession);

    itStoresSessionCertificates(open, newSession);
    itStoresServiceSessions(open, newSession);
    itStoresSessionData(open, newSession);

    it('refuses an invalid filter or sort with its error code, and never fails in another way', async () => {
      await using opened = await open(60_000);
      const { store } = opened;
      await store.create(newSession());
      await expect(store.list({ filter: 'token = "x"' })).rejects.toMatchObject({ code: 'INVALID_FILTER' });
      await expect(store.list({ sort: 'tags' })).rejects.toMatchObject({ code: 'INVALID_SORT_IDENTIFIER' });
      const words = [
        'id',
        'identity',
        'tags.a',
        '=',
        '!=',
        '"x"',
        '\\',
        '"',
        '%',
        ';--',
        '(',
        ')',
        'and',
        'or',
        'not',
        'in',
      ];
      const more = [
        '[',
        ']',
        ',',
        'null',
        'limit',
        'skip',
        '1',
        'contains',
        'sort by',
        '\0',
        '{',
        '}',
        '🙂',
        'mfaComplete',
      ];
      const text = fc.array(fc.constantFrom(...words, ...more)).map((parts) => parts.join(' '));
      await fc.assert(
        fc.asyncProperty(fc.oneof(text, fc.string({ unit: 'binary' })), async (filter) => {
          await rowsOf(store, { filter }).catch((error) => expect(error).toMatchObject({ code: 'INVALID_FILTER' }));
        }),
        { numRuns: 300 },
      );
    });
  });
}
