import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../core/api-error.ts';
import type { EntityStoreUnderTest } from './entity-store.contract.ts';
import { identity } from './entity-store.contract.ts';
import type { Tables } from './entity-store.ts';

/** Would take hours with 300 identities. */
const slowList = (db: Kysely<Tables>) =>
  sql`select count(*) from identities a, identities b, identities c, identities d, identities e
    where a.name || b.name || c.name || d.name || e.name = 'x'`.execute(db);

const tooSlow = {
  code: 'TIMEOUT',
  detail: { code: 'TIMEOUT', message: 'the list took longer than 2 s; narrow the filter' },
};

async function openFilled(open: () => Promise<EntityStoreUnderTest>): Promise<EntityStoreUnderTest> {
  const opened = await open();
  const rows = Array.from({ length: 300 }, (_, at) => identity(`id${at}`));
  await opened.store.db.insertInto('identities').values(rows).execute();
  return opened;
}

/** The contract of lists that take too long. `open` opens an empty database. */
export function describeSlowLists(name: string, open: () => Promise<EntityStoreUnderTest>): void {
  describe(`slow lists on ${name}`, () => {
    const fields = { id: { column: 'id', type: 'string' } } as const;
    const list = { table: 'identities', fields, query: {}, longColumns: [] };

    it('are refused after 2 seconds, do not block the event loop, and others pass them', async () => {
      await using opened = await openFilled(open);
      const { store } = opened;
      // Two lists at once start both list processes of SQLite. A start may take long.
      await Promise.all([store.list(list), store.list(list)]);
      let last = performance.now();
      const delays: number[] = [];
      const timer = setInterval(() => {
        const now = performance.now();
        delays.push(now - last);
        last = now;
      }, 5);
      const startedAt = performance.now();
      let isRefused = false;
      const slow = slowList(store.lists).finally(() => {
        isRefused = true;
      });
      const refused = expect(slow).rejects.toMatchObject(tooSlow);
      expect((await store.list(list)).pagination?.totalCount).toBe(300);
      expect(isRefused).toBe(false);
      await refused;
      expect(performance.now() - startedAt).toBeGreaterThan(1_900);
      clearInterval(timer);
      // A blocked event loop would be about 2,000 ms late. The machine of the test may be busy.
      expect(Math.max(...delays)).toBeLessThan(1_000);
      expect((await store.list(list)).pagination?.totalCount).toBe(300);
    });

    it('end for all, also when many come at once, and the next list works', async () => {
      await using opened = await openFilled(open);
      const { store } = opened;
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => slowList(store.lists)));
      for (const outcome of outcomes) {
        expect(outcome.status).toBe('rejected');
        const { reason } = outcome as PromiseRejectedResult;
        expect(reason).toBeInstanceOf(ApiError);
        expect(['TIMEOUT', 'STORE_UNAVAILABLE']).toContain(reason.code);
      }
      expect((await store.list(list)).pagination?.totalCount).toBe(300);
    });
  });
}
