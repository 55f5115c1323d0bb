import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { entity } from '../../../shared-types/src/entity.ts';
import { entityName, references, required, roles } from '../../../shared-types/src/field.ts';
import { entityStores } from '../../test/support/databases.ts';
import { disagreements } from '../../test/support/schema.ts';
import type { Caller } from '../call.ts';
import { definitions } from '../entities/index.ts';
import type { EntityStore } from '../entity-store/entity-store.ts';
import { schemaOf } from '../entity-store/migrations/schema.ts';
import type { EntityName } from '../entity-store/tables.ts';
import { systemClock } from '../lib/clock.ts';
import type { Entities } from './define-entity.ts';
import { entityOf } from './define-entity.ts';
import type { Relation } from './relations.ts';
import { listedIn, listing } from './relations.ts';
import { policiesSelecting } from './roles.ts';
import { inUnitOfWork } from './unit-of-work.ts';
import { createEntity, deleteEntity, updateEntity } from './write.ts';

const contract = entity({
  noun: 'doorPolicy',
  collection: 'door-policies',
  fields: {
    name: required(entityName, 'name'),
    semantic: required(z.enum(['AllOf', 'AnyOf'])),
    identityRoles: roles('identities'),
    keepers: references('identities'),
  },
});
const name = 'doorPolicies' as EntityName;
const table = 'doorPolicies_identityRoles';
/** A policy that no API has. */
const doorPolicies = entityOf(name, contract, {
  id: 'base62',
  fields: { identityRoles: { semantic: 'semantic' } },
});

type OpenStore = (typeof entityStores)[number]['openStore'];

async function open(openStore: OpenStore) {
  const opened = await openStore(inject('postgresUrl'));
  const { store } = opened;
  const text = sql<string>`${sql.raw(store.dialect === 'sqlite' ? 'text' : 'text collate "C"')}`;
  const { entityTable, rolesTable, setTable } = schemaOf(store.db as unknown as Kysely<unknown>, { text });
  await entityTable('doorPolicies', { name: 'text', semantic: 'text' });
  await rolesTable('doorPolicies', 'identityRoles');
  await setTable('doorPolicies', 'keepers', 'identities');
  const caller = {
    entities: store,
    definitions: { ...definitions, [name]: doorPolicies },
    clock: systemClock,
    sessions: { identitiesWithSessions: async () => new Set() },
    outbox: { add: async () => undefined, drain: async () => undefined },
    events: { emit: () => undefined },
  } as unknown as Caller;
  return {
    store,
    caller,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

const create = (caller: Caller, entityName: EntityName, body: Record<string, unknown>) =>
  inUnitOfWork(caller, (unit) => createEntity(unit, entityName, body));
const patch = (caller: Caller, id: string, body: Record<string, unknown>) =>
  inUnitOfWork(caller, (unit) => updateEntity(unit, name, { verb: 'patch', id, body }));

async function rolesOf({ db }: EntityStore): Promise<unknown[]> {
  const read = await sql<{ value: string; need: number }>`select "value", "need" from ${sql.table(table)}
    order by "value"`.execute(db);
  return read.rows.map(({ value, need }) => [value, need]);
}

describe.each(entityStores)('an entity with roles on $database', ({ openStore }) => {
  it('holds how many roles must match, also after a change of the semantic alone', async () => {
    await using opened = await open(openStore);
    const { caller, store } = opened;
    expect(await disagreements(store, { doorPolicies } as unknown as Entities)).toEqual([]);
    const id = await create(caller, name, { name: 'a', semantic: 'AllOf', identityRoles: ['#b', '#a', '#b'] });
    expect(await rolesOf(store)).toEqual([
      ['#a', 2],
      ['#b', 2],
    ]);
    await patch(caller, id, { semantic: 'AnyOf' });
    expect(await rolesOf(store)).toEqual([
      ['#a', 1],
      ['#b', 1],
    ]);
    await patch(caller, id, { identityRoles: ['#all'] });
    expect(await rolesOf(store)).toEqual([['#all', 1]]);
    await inUnitOfWork(caller, (unit) => deleteEntity(unit, name, id));
    expect(await rolesOf(store)).toEqual([]);
  });

  it('selects identities by id and by attribute, and forgets a deleted one', async () => {
    await using opened = await open(openStore);
    const { caller, store } = opened;
    const identity = (own: string, roleAttributes: string[]) =>
      create(caller, 'identities', { name: own, type: 'User', isAdmin: false, roleAttributes });
    const [one, two] = [await identity('one', ['a']), await identity('two', ['b'])];
    const byId = await create(caller, name, { name: 'by id', semantic: 'AllOf', identityRoles: [`@${one}`, '#b'] });
    const byAttribute = await create(caller, name, { name: 'other', semantic: 'AnyOf', identityRoles: ['#a'] });
    const selecting = async (id: string) => {
      const policies = policiesSelecting({ id, roles: table, attributes: 'identities_roleAttributes' });
      const read = await sql<{ ownerId: string }>`${policies}`.execute(store.db);
      return read.rows.map(({ ownerId }) => ownerId).toSorted();
    };
    expect(await selecting(one)).toEqual([byId, byAttribute].toSorted());
    expect(await selecting(two)).toEqual([byId]);
    await inUnitOfWork(caller, (unit) => deleteEntity(unit, 'identities', one));
    expect(await rolesOf(store)).toEqual([
      ['#a', 1],
      ['#b', 1],
    ]);
  });

  it('forgets an identity that is deleted while only the semantic changes', async () => {
    await using opened = await open(openStore);
    const { caller, store } = opened;
    const one = await create(caller, 'identities', { name: 'one', type: 'User', isAdmin: false });
    const id = await create(caller, name, { name: 'a', semantic: 'AllOf', identityRoles: [`@${one}`, '#a', '#b'] });
    let deleted: Promise<void> = Promise.resolve();
    await inUnitOfWork(caller, async (unit) => {
      await updateEntity(unit, name, { verb: 'patch', id, body: { semantic: 'AnyOf' } });
      deleted = inUnitOfWork(caller, (other) => deleteEntity(other, 'identities', one));
      await sleep(200);
    });
    await deleted;
    expect(await rolesOf(store)).toEqual([
      ['#a', 1],
      ['#b', 1],
    ]);
  });

  it('lists those that it refers to, and those that refer to one', async () => {
    await using opened = await open(openStore);
    const { caller, store } = opened;
    const body = { type: 'User', isAdmin: false };
    const one = await create(caller, 'identities', { ...body, name: 'one' });
    const two = await create(caller, 'identities', { ...body, name: 'two' });
    const policy = { name: 'a', semantic: 'AnyOf', keepers: [two, one, two] };
    const id = await create(caller, name, policy);
    await expect(create(caller, name, { ...policy, name: 'b', keepers: ['nobody'] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const idsOf = async (listed: string, relation: Relation, parentId: string) => {
      const condition = await relation(caller, parentId);
      const read = await sql<{ id: string }>`select "id" from ${sql.table(listed)} as t where ${condition}`.execute(
        store.db,
      );
      return read.rows.map((row) => row.id).toSorted();
    };
    expect(await idsOf('identities', listedIn(name, 'keepers'), id)).toEqual([one, two].toSorted());
    expect(await idsOf('doorPolicies', listing(name, 'keepers'), one)).toEqual([id]);
    await inUnitOfWork(caller, (unit) => deleteEntity(unit, 'identities', one));
    expect(await idsOf('identities', listedIn(name, 'keepers'), id)).toEqual([two]);
    expect(await idsOf('doorPolicies', listing(name, 'keepers'), one)).toEqual([]);
  });

  it.each([
    [['a'], /^role entries must prefixed with #/, '[a]'],
    [['#all', '#a'], /^if using #all, it should be the only role specified$/, '[#a #all]'],
    [['@nobody'], /^no identities found with the given ids$/, '[nobody]'],
    [['@all'], /^no identities found with the given ids$/, '[all]'],
  ])('refuses the roles %j and writes nothing', async (identityRoles, reason, value) => {
    await using opened = await open(openStore);
    const { caller, store } = opened;
    await expect(create(caller, name, { name: 'a', semantic: 'AnyOf', identityRoles })).rejects.toMatchObject({
      code: 'COULD_NOT_VALIDATE',
      detail: { field: 'identityRoles', reason: expect.stringMatching(reason), value },
    });
    expect(await rolesOf(store)).toEqual([]);
    expect((await sql`select 1 from "doorPolicies"`.execute(store.db)).rows).toEqual([]);
  });
});
