import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Query } from '../../core/filter/page.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { ApiSessionRecord, SessionStore } from './session-store.ts';
import type { SessionStoreUnderTest } from './store-under-test.contract.ts';

interface Listed {
  readonly totalCount: number | undefined;
  readonly ids: readonly string[];
}

async function list(store: SessionStore, query: Query): Promise<Listed> {
  const { batches, pagination } = await store.list(query);
  const ids: string[] = [];
  for await (const rows of batches) ids.push(...rows.map(({ id }) => id));
  return { totalCount: pagination?.totalCount, ids };
}

const idsOf = (records: readonly ApiSessionRecord[]) => records.map(({ id }) => id);

/** The tests of `list` in the contract suite of the session store. */
export function itListsSessions(
  open: (timeout: number) => Promise<SessionStoreUnderTest>,
  newSession: (changes?: Partial<ApiSessionRecord>) => ApiSessionRecord,
): void {
  it('lists in the order of creation, also with ties, and counts all sessions', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const start = systemClock() - 1_000;
    const times = Array.from({ length: 60 }, (_, at) => start + (at < 25 ? 0 : at % 9));
    const created = await Promise.all(times.map((createdAt) => store.create(newSession({ createdAt }))));
    const records = created.map(({ session }) => session);
    const ordered = (time: 1 | -1, id: 1 | -1) =>
      records
        .toSorted((a, b) => time * (a.createdAt - b.createdAt) || id * (a.id < b.id ? -1 : 1))
        .map((record) => record.id);
    const orders = {
      createdAt: ordered(1, 1),
      'createdAt desc': ordered(-1, 1),
      'createdAt asc, id desc': ordered(1, -1),
      'createdAt desc, id desc': ordered(-1, -1),
    };
    for (const [sort, expected] of Object.entries(orders)) {
      for (const limit of [1, 7, 24, 500, -1]) {
        for (const offset of [0, 1, 13, 31, 59, 60, 100_000]) {
          // An offset without a limit has no rows.
          const ids = limit === -1 ? (offset === 0 ? expected : []) : expected.slice(offset, offset + limit);
          expect(await list(store, { sort, limit, offset })).toEqual({ totalCount: 60, ids });
        }
      }
    }
    const { ids } = await list(store, { sort: 'id desc', limit: -1, offset: 2 });
    expect(ids).toEqual([]);
  });

  it('lists the sessions of one identity in any order and with further conditions', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const start = systemClock();
    const own = Array.from({ length: 40 }, (_, at) =>
      newSession({ identityId: 'own', createdAt: start - (at % 7), authenticatorId: at % 2 ? 'a' : 'b' }),
    );
    const other = Array.from({ length: 5 }, () => newSession({ authenticatorId: 'a', createdAt: start }));
    await Promise.all([...own, ...other].map((record) => store.create(record)));
    const newest = own.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
    const filter = 'identity = "own"';
    const found = async (query: Query, totalCount: number, ids: readonly string[]) =>
      expect(await list(store, query)).toEqual({ totalCount, ids });
    await found({ filter, sort: 'createdAt desc', limit: 10, offset: 5 }, 40, idsOf(newest.slice(5, 15)));
    await found({ filter, sort: 'id desc', limit: 3 }, 40, idsOf(own).toSorted().reverse().slice(0, 3));
    const ofA = newest.filter(({ authenticatorId }) => authenticatorId === 'a');
    const both = 'authenticator = "a" and identity = "own"';
    await found({ filter: both, sort: 'createdAt desc', limit: 4 }, 20, idsOf(ofA.slice(0, 4)));
    const [id = ''] = idsOf(own);
    await found({ filter: `${filter} and id = "${id}"` }, 1, [id]);
    await found({ filter: `identity = "other" and id = "${id}"` }, 0, []);
    const count = async (filter: string) => (await list(store, { filter, limit: 1, sort: 'createdAt' })).totalCount;
    expect(await count('authenticator = "a"')).toBe(25);
    expect(await count('identity = "own" or identity = "nobody"')).toBe(40);
    expect(await count(`${filter} and identity = "other"`)).toBe(0);
    expect(await count(`createdAt >= datetime(${new Date(start).toISOString()})`)).toBe(
      own.filter(({ createdAt }) => createdAt === start).length + other.length,
    );
  });

  it('lists neither expired nor removed sessions, in no order, and does not count them', async () => {
    await using opened = await open(3_000);
    const { store } = opened;
    // The first list may start a process, which takes longer than the sessions would live.
    await list(store, {});
    const records = Array.from({ length: 30 }, () => newSession({ identityId: 'own' }));
    await Promise.all(records.map((record) => store.create(record)));
    const [removed, used, ...idle] = records;
    if (removed) await store.remove(removed);
    const queries = ['id', 'createdAt', 'createdAt desc', 'lastActivityAt desc'].flatMap((sort) => [
      { sort, limit: 100 },
      { sort, limit: 100, filter: 'identity = "own"' },
    ]);
    const expectIds = async (expected: readonly (string | undefined)[]) => {
      for (const query of queries) {
        const { totalCount, ids } = await list(store, query);
        expect([totalCount, ids.toSorted()]).toEqual([expected.length, expected.toSorted()]);
      }
    };
    await store.touch(used?.tokenHash ?? '');
    await expectIds([used, ...idle].map((record) => record?.id));
    await sleep(2_000);
    await store.touch(used?.tokenHash ?? '');
    await sleep(2_000);
    await expectIds([used?.id]);
    expect(await store.removeByIdentity('own')).toBe(1);
    await expectIds([]);
  });
}
