import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { EntityStoreUnderTest } from './entity-store.contract.ts';
import { identity } from './entity-store.contract.ts';
import type { EntityStore } from './entity-store.ts';

const idsIn = async (db: EntityStore['db']): Promise<string[]> =>
  (await db.selectFrom('identities').select('id').orderBy('id').execute()).map(({ id }) => id);

/** The contract of changes: what is stored, and who sees it when. `open` opens an empty database. */
export function describeTransactions(name: string, open: () => Promise<EntityStoreUnderTest>): void {
  describe(`changes on ${name}`, () => {
    it('stores each of many concurrent changes, or nothing of it', async () => {
      await using opened = await open();
      const { store } = opened;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 60 }, (_, at) =>
          store.transaction(async (tx) => {
            const row = identity(`a${at}`, at % 5 === 4 ? { name: 'taken' } : {});
            await tx.insertInto('identities').values(row).execute();
            if (at % 2 === 0) await sleep(at % 3);
            await tx
              .insertInto('identities')
              .values(identity(`b${at}`))
              .execute();
            if (at % 3 === 0) throw new Error(`stop ${at}`);
            return at;
          }),
        ),
      );
      const stored = await idsIn(store.db);
      let taken = 0;
      for (const [at, outcome] of outcomes.entries()) {
        const isStored = [stored.includes(`a${at}`), stored.includes(`b${at}`)];
        if (outcome.status === 'fulfilled') {
          expect([outcome.value, ...isStored]).toEqual([at, true, true]);
          if (at % 5 === 4) taken += 1;
          continue;
        }
        expect([at, ...isStored]).toEqual([at, false, false]);
        if (at % 3 === 0 && at % 5 !== 4) expect(outcome.reason.message).toBe(`stop ${at}`);
        if (at % 3 !== 0) expect([at, store.violatedUnique(outcome.reason)]).toEqual([at, 'name']);
      }
      expect(taken).toBe(1);
    });

    it('shows a change to everybody as soon as it is acknowledged', async () => {
      await using opened = await open();
      const { store } = opened;
      const other = await opened.reopen();
      const work = Array.from({ length: 20 }, async (_, at) => {
        const id = `id${at}`;
        const insert = (db: EntityStore['db']) => db.insertInto('identities').values(identity(id)).execute();
        await (at % 2 === 0 ? store.transaction(insert) : insert(store.db));
        for (const db of [store.db, store.lists, other.db, other.lists]) expect(await idsIn(db)).toContain(id);
      });
      await Promise.all(work);
      await other.close();
    });

    it('shows a change to nobody before it is committed', async () => {
      await using opened = await open();
      const { store } = opened;
      await store.transaction(async (tx) => {
        await tx.insertInto('identities').values(identity('a')).execute();
        expect(await idsIn(store.db)).toEqual([]);
        expect(await idsIn(store.lists)).toEqual([]);
        expect(await idsIn(tx)).toEqual(['a']);
      });
      expect(await idsIn(store.db)).toEqual(['a']);
    });

    it('lets reads pass while a change waits for something', async () => {
      await using opened = await open();
      const { store } = opened;
      const gate = Promise.withResolvers<void>();
      const first = store.transaction(async (tx) => {
        await tx.insertInto('identities').values(identity('a')).execute();
        await gate.promise;
      });
      expect(await idsIn(store.db)).toEqual([]);
      gate.resolve();
      await first;
      expect(await idsIn(store.db)).toEqual(['a']);
    });

    it('refuses only the change that breaks a foreign key', async () => {
      await using opened = await open();
      const { store } = opened;
      const insert = (row: ReturnType<typeof identity>) =>
        store.transaction((tx) => tx.insertInto('identities').values(row).execute());
      // PostgreSQL runs the changes in any order, and the policy could be deleted before anybody has it.
      await insert(identity('a'));
      const outcomes = await Promise.allSettled([
        insert(identity('b', { authPolicyId: 'none' })),
        insert(identity('c')),
        store.transaction((tx) => tx.deleteFrom('authPolicies').execute()),
        insert(identity('d')),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
      expect(await idsIn(store.db)).toEqual(['a', 'c', 'd']);
    });

    it('returns what single writes have changed', async () => {
      await using opened = await open();
      const { store } = opened;
      await store.db
        .insertInto('identities')
        .values([identity('a'), identity('b')])
        .execute();
      const updated = await store.db.updateTable('identities').set({ isAdmin: 1 }).executeTakeFirst();
      expect(updated.numUpdatedRows).toBe(2n);
      const deleted = await store.db.deleteFrom('identities').where('id', '=', 'a').returning('isAdmin').execute();
      expect(deleted).toEqual([{ isAdmin: 1 }]);
      const conflict = store.db
        .insertInto('identities')
        .values(identity('b', { name: 'new' }))
        .execute();
      await expect(conflict).rejects.toSatisfy((error) => store.violatedUnique(error) === 'id');
    });
  });
}
