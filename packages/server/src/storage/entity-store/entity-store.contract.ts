import fc from 'fast-check';
import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { FilterFields, Query } from '../../core/filter/page.ts';
import { isoTime, systemClock } from '../../core/time/clock.ts';
import type { EntityStore, Tables } from './entity-store.ts';

export interface EntityStoreUnderTest extends AsyncDisposable {
  readonly store: EntityStore;
  /** Opens the same database again. */
  readonly reopen: () => Promise<EntityStore>;
}

const fields: FilterFields = {
  id: { column: 'id', type: 'string' },
  createdAt: { column: 'createdAt', type: 'datetime' },
  tags: { column: 'tags', type: 'tags' },
  isSystem: { column: null, type: 'boolean' },
  name: { column: 'name', type: 'string' },
  roleAttributes: { type: 'set', set: { table: 'identities_roleAttributes', owner: 'ownerId', value: 'value' } },
  externalId: { column: 'externalId', type: 'string' },
  isAdmin: { column: 'isAdmin', type: 'boolean' },
  cost: { column: 'defaultHostingCost', type: 'number' },
};

const listing = { table: 'identities', fields, longColumns: ['tags', 'appData'] };

type Identity = Insertable<Tables['identities']>;

/** A complete row of an identity. */
export function identity(id: string, changes: Partial<Identity> = {}): Identity {
  const now = isoTime(systemClock());
  return {
    ...{ id, createdAt: now, updatedAt: now, tags: '{}', name: `name ${id}`, typeId: 'User', isAdmin: 0 },
    ...{ isDefaultAdmin: 0, externalId: null, authPolicyId: 'default', defaultHostingCost: 0 },
    ...{ defaultHostingPrecedence: 'default', serviceHostingCosts: '{}', serviceHostingPrecedences: '{}' },
    ...{ appData: '{}', envInfo: '{}', sdkInfo: '{}', disabledAt: null, disabledUntil: null },
    ...changes,
  };
}

async function idsOf(store: EntityStore, query: Query): Promise<string[]> {
  const ids: string[] = [];
  const page = await store.list({ ...listing, query });
  for await (const rows of page.batches) for (const { id } of rows) ids.push(String(id));
  return ids;
}

async function add(store: EntityStore, ...rows: Identity[]): Promise<void> {
  await store.db.insertInto('identities').values(rows).execute();
}

async function addAttributes(store: EntityStore, byOwner: Record<string, readonly string[]>): Promise<void> {
  const rows = Object.entries(byOwner).flatMap(([ownerId, values]) => values.map((value) => ({ ownerId, value })));
  await store.db.insertInto('identities_roleAttributes').values(rows).execute();
}

/** The contract suite of the entity store. `open` opens an empty database. */
export function describeEntityStore(name: string, open: () => Promise<EntityStoreUnderTest>): void {
  describe(`entity store on ${name}`, () => {
    it('starts with the default policy, also when several processes open it at the same time', async () => {
      await using opened = await open();
      const others = await Promise.all([opened.reopen(), opened.reopen(), opened.reopen()]);
      const policies = await opened.store.db.selectFrom('authPolicies').selectAll().execute();
      expect(policies).toMatchObject([{ id: 'default', name: 'Default', isSystem: 1 }]);
      await Promise.all(others.map((other) => other.close()));
    });

    it('names the unique column that a write violated', async () => {
      await using opened = await open();
      const { store } = opened;
      await add(store, identity('a', { externalId: 'x' }), identity('b'), identity('c'));
      const violated = (row: Identity) => add(store, row).then(() => null, store.violatedUnique);
      expect(await violated(identity('d', { name: 'name a' }))).toBe('name');
      expect(await violated(identity('d', { externalId: 'x' }))).toBe('externalId');
      expect(await violated(identity('a', { name: 'new' }))).toBe('id');
      expect(await violated(identity('d', { authPolicyId: 'none' }))).toBeNull();
      expect(store.violatedUnique(new Error('x'))).toBeNull();
    });

    it('rolls back every statement of a failed transaction, and works afterwards', async () => {
      await using opened = await open();
      const { store } = opened;
      const failing = store.transaction(async (tx) => {
        await tx.insertInto('identities').values(identity('a')).execute();
        throw new Error('stop');
      });
      await expect(failing).rejects.toThrow('stop');
      expect(await idsOf(store, {})).toEqual([]);
      await add(store, identity('a'));
      expect(await idsOf(store, {})).toEqual(['a']);
    });

    it('serialises concurrent transactions and reads', async () => {
      await using opened = await open();
      const { store } = opened;
      const work = Array.from({ length: 50 }, (_, at) =>
        store.transaction(async (tx) => {
          await tx
            .insertInto('identities')
            .values(identity(`id${at}`))
            .execute();
          await new Promise((resolve) => setImmediate(resolve));
          await tx.updateTable('identities').set({ isAdmin: 1 }).where('id', '=', `id${at}`).execute();
        }),
      );
      await Promise.all([...work, ...Array.from({ length: 20 }, () => idsOf(store, {}))]);
      const admins = await store.list({ ...listing, query: { filter: 'isAdmin' } });
      expect(admins.pagination?.totalCount).toBe(50);
    });

    it('deletes the authenticators of a deleted identity', async () => {
      await using opened = await open();
      const { store } = opened;
      await add(store, identity('a'));
      const base = { createdAt: '', updatedAt: '', tags: '{}', identityId: 'a' };
      const authenticator = {
        ...base,
        id: 'x',
        method: 'updb' as const,
        username: 'u',
        ...{ publicKeyPrint: '', pendingCertPem: '', pendingFingerprint: '' },
      };
      await store.db.insertInto('authenticators').values(authenticator).execute();
      await store.db.deleteFrom('identities').where('id', '=', 'a').execute();
      expect(await store.db.selectFrom('authenticators').selectAll().execute()).toEqual([]);
    });

    it('supports every operator of the filter language', async () => {
      await using opened = await open();
      const { store } = opened;
      await add(
        store,
        identity('a', { name: 'Älpha', isAdmin: 1, tags: '{"k":3,"t":true,"s":"v"}' }),
        identity('b', { name: 'beta', externalId: 'ext', defaultHostingCost: 5 }),
        identity('c', { name: 'gamma "q" %', createdAt: '2020-01-01T00:00:00.000Z', tags: '{"k":"3"}' }),
      );
      await addAttributes(store, { a: ['x', 'y'], b: ['x'] });
      const cases: Record<string, string[]> = {
        'name = "beta"': ['b'],
        'name != "beta"': ['a', 'c'],
        'externalId = null': ['a', 'c'],
        'externalId != "ext"': ['a', 'c'],
        'not (externalId = "ext")': ['a', 'c'],
        'externalId < "z"': ['b'],
        'externalId not in ["q"]': ['b'],
        'name contains "et"': ['b'],
        'name not contains "et"': ['a', 'c'],
        'name icontains "äLPH"': ['a'],
        'name contains "%"': ['c'],
        'name contains "\\"q\\""': ['c'],
        isAdmin: ['a'],
        'isAdmin = false': ['b', 'c'],
        'not isAdmin and name = "beta"': ['a', 'b', 'c'],
        isSystem: [],
        'false or true': ['a', 'b', 'c'],
        'cost > 1.5': ['b'],
        'cost between 0 and 5': ['a', 'c'],
        'cost in [5, 6]': ['b'],
        'cost contains 5': ['b'],
        'anyOf(roleAttributes) = "x"': ['a', 'b'],
        'allOf(roleAttributes) = "x"': ['b', 'c'],
        'anyOf(roleAttributes) in ["y","z"]': ['a'],
        'count(roleAttributes) > 1': ['a'],
        'isEmpty(roleAttributes)': ['c'],
        'tags.k = 3': ['a'],
        'tags.k = "3"': ['c'],
        'tags.k = null': ['b'],
        'tags.k != null': ['a', 'c'],
        'tags.t = true': ['a'],
        'tags.s contains "v"': ['a'],
        'tags.none != "v"': ['a', 'b', 'c'],
        'createdAt < datetime(2021-01-01T00:00:00Z)': ['c'],
        'createdAt between datetime(2019-01-01T00:00:00Z) and datetime(2020-01-01T00:00:00Z)': [],
        'sort by externalId desc, name limit 2': ['b', 'c'],
        'sort by externalId skip 2': ['b'],
        'skip 1 limit 1': ['b'],
        'true limit none': ['a', 'b', 'c'],
      };
      for (const [filter, ids] of Object.entries(cases)) {
        expect([filter, await idsOf(store, { filter })]).toEqual([filter, ids]);
      }
    });

    it('refuses an invalid filter or sort with its error code, and never fails in another way', async () => {
      await using opened = await open();
      const { store } = opened;
      await add(store, identity('a', { tags: '{"k":3}' }));
      await addAttributes(store, { a: ['x'] });
      await expect(idsOf(store, { filter: 'name like "a"' })).rejects.toMatchObject({ code: 'INVALID_FILTER' });
      await expect(idsOf(store, { sort: 'roleAttributes' })).rejects.toMatchObject({ code: 'INVALID_SORT_IDENTIFIER' });
      const operand = [
        'name',
        'cost',
        'isAdmin',
        'tags.k',
        'createdAt',
        'anyOf(roleAttributes)',
        'count(roleAttributes)',
      ];
      const operator = ['=', '!=', '<', '>=', 'in', 'not in', 'contains', 'not icontains', 'between', 'icontains'];
      const value = [
        '"x"',
        '3',
        '-1.5e300',
        'true',
        'null',
        'datetime(2024-01-02T03:04:05Z)',
        '["a"]',
        '[1,2]',
        '1 and 2',
      ];
      const onlyRefuses = async (filter: string) => {
        await idsOf(store, { filter }).catch((error) =>
          expect([filter, error]).toMatchObject([filter, { code: 'INVALID_FILTER' }]),
        );
      };
      for (const left of operand) {
        for (const between of operator) for (const right of value) await onlyRefuses(`${left} ${between} ${right}`);
      }
      await fc.assert(fc.asyncProperty(fc.string({ unit: 'binary' }), onlyRefuses), { numRuns: 300 });
    });

    it('lists all rows in order without a limit, also when the reader stops early', async () => {
      await using opened = await open();
      const { store } = opened;
      const ids = Array.from({ length: 1_203 }, (_, at) => `id${String(at).padStart(5, '0')}`);
      for (let at = 0; at < ids.length; at += 100)
        await add(store, ...ids.slice(at, at + 100).map((id) => identity(id)));
      expect(await idsOf(store, { limit: -1 })).toEqual(ids);
      expect(await idsOf(store, { filter: 'sort by name desc limit none' })).toEqual(ids.toReversed());
      expect(await idsOf(store, { filter: 'sort by id desc skip 3 limit none' })).toEqual([]);
      expect(await idsOf(store, {})).toEqual(ids.slice(0, 10));
      expect(await idsOf(store, { limit: 9_999, offset: 1_000 })).toEqual(ids.slice(1_000));
      const page = await store.list({ ...listing, query: { limit: -1 } });
      expect(page.pagination).toEqual({ limit: 'none', offset: 0, totalCount: 1_203 });
      for await (const _ of page.batches) break;
      expect(await idsOf(store, { limit: 1 })).toEqual(ids.slice(0, 1));
      const narrowed = await store.list({ ...listing, query: {}, conditions: [sql<boolean>`t."id" = 'id00007'`] });
      expect(narrowed.pagination?.totalCount).toBe(1);
    });
  });
}
