import { setTimeout as sleep } from 'node:timers/promises';
import type { RelatedEntities } from '@edge-controller/shared-types';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { entity } from '../../../shared-types/src/entity.ts';
import { references, required, roles, semantic, uniqueName } from '../../../shared-types/src/field.ts';
import { belongsToMany, hasMany, selectedBy, selectedWith, selects } from '../../../shared-types/src/relation.ts';
import { entityStores } from '../../test/support/databases.ts';
import { disagreements } from '../../test/support/schema.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { createEventBus } from '../core/events/bus.ts';
import { systemClock } from '../core/time/clock.ts';
import { definitions } from '../entities/index.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import { schemaOf } from '../storage/entity-store/migrations/schema.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import { entityOf } from './define-entity.ts';
import type { Caller } from './dependencies.ts';
import type { Entities } from './entity.ts';
import { relatedTo } from './relations.ts';
import { policiesSelecting } from './roles.ts';
import { inUnitOfWork } from './unit-of-work.ts';
import { createEntity, deleteEntity, updateEntity } from './write.ts';

const contract = entity({
  noun: 'doorPolicy',
  collection: 'door-policies',
  fields: {
    name: uniqueName,
    semantic: required(semantic),
    identityRoles: roles('identities', { semantic: 'semantic' }),
    guestRoles: roles('identities', { semantic: 'semantic' }),
    owners: references('identities'),
  },
});
const name = 'doorPolicies' as EntityName;
const table = 'doorPolicies_identityRoles';
/** A policy that no API has. */
const doorPolicies = entityOf(name, contract);

type OpenStore = (typeof entityStores)[number]['openStore'];

async function open(openStore: OpenStore) {
  const opened = await openStore(inject('postgresUrl'));
  const { store } = opened;
  const text = sql<string>`${sql.raw(store.dialect === 'sqlite' ? 'text' : 'text collate "C"')}`;
  const { entityTable, rolesTable, setTable, uniqueIndex } = schemaOf(store.db as unknown as Kysely<unknown>, { text });
  await entityTable('doorPolicies', { name: 'text', semantic: 'text' });
  await uniqueIndex('doorPolicies', 'name');
  await rolesTable('doorPolicies', 'identityRoles');
  await rolesTable('doorPolicies', 'guestRoles');
  await setTable('doorPolicies', 'owners', 'identities');
  const events = createEventBus(() => undefined);
  const caller = {
    database: store,
    definitions: { ...definitions, [name]: doorPolicies },
    clock: systemClock,
    sessions: { identitiesWithSessions: async () => new Set() },
    outbox: { add: async () => undefined, drain: async () => undefined },
    events,
    audit: new AuditLog({ database: store, events, clock: systemClock, isEnabled: true }),
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

type Opened = Awaited<ReturnType<typeof open>>;

/** The ids of the entities that a relation of an entity lists. */
async function related(
  { caller, store }: Opened,
  owner: { entity: EntityName; id: string },
  target: EntityName,
  relation: RelatedEntities['relation'],
): Promise<string[]> {
  const conditions = await relatedTo(caller, owner, { name: 'a', verb: 'a', target, relation });
  const where = sql.join([sql`1 = 1`, ...conditions], sql` and `);
  const read = await sql<{ id: string }>`select "id" from ${sql.table(target)} as t where ${where}`.execute(store.db);
  return read.rows.map((row) => row.id).toSorted();
}

describe.each(entityStores)('an entity with roles on $database', ({ openStore }) => {
  it('stores how many roles must match, also after a change of the semantic alone', async () => {
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
    const { caller } = opened;
    const body = { type: 'User', isAdmin: false };
    const one = await create(caller, 'identities', { ...body, name: 'one' });
    const two = await create(caller, 'identities', { ...body, name: 'two' });
    const policy = { name: 'a', semantic: 'AnyOf', owners: [two, one, two] };
    const id = await create(caller, name, policy);
    await expect(create(caller, name, { ...policy, name: 'b', owners: ['nobody'] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const owners = (policyId: string) =>
      related(opened, { entity: name, id: policyId }, 'identities', belongsToMany('owners'));
    const keeping = (identityId: string) =>
      related(opened, { entity: 'identities', id: identityId }, name, hasMany(name, 'owners'));
    expect(await owners(id)).toEqual([one, two].toSorted());
    expect(await keeping(one)).toEqual([id]);
    await inUnitOfWork(caller, (unit) => deleteEntity(unit, 'identities', one));
    expect(await owners(id)).toEqual([two]);
    expect(await keeping(one)).toEqual([]);
  });

  it('lists what roles select, on both sides, and nothing for an owner that is unknown', async () => {
    await using opened = await open(openStore);
    const { caller, store } = opened;
    await sql`delete from "identities"`.execute(store.db);
    const identity = (own: string, ...roleAttributes: string[]) =>
      create(caller, 'identities', { name: own, type: 'User', isAdmin: false, roleAttributes });
    const policy = (own: string, semantic: string, identityRoles: string[], guestRoles: string[] = []) =>
      create(caller, name, { name: own, semantic, identityRoles, guestRoles });
    const [a, b, ab] = [await identity('a', 'a'), await identity('b', 'b'), await identity('ab', 'a', 'b')];
    const both = await policy('both', 'AllOf', ['#a', '#b'], ['#b']);
    const any = await policy('any', 'AnyOf', ['#a', '#b'], [`@${a}`]);
    const all = await policy('all', 'AllOf', ['#all']);

    const selected = (id: string) => related(opened, { entity: name, id }, 'identities', selects('identityRoles'));
    expect(await selected(both)).toEqual([ab]);
    expect(await selected(any)).toEqual([a, b, ab].toSorted());
    expect(await selected(all)).toEqual([a, b, ab].toSorted());
    expect(await selected('nobody')).toEqual([]);

    const selecting = (id: string) =>
      related(opened, { entity: 'identities', id }, name, selectedBy(name, 'identityRoles'));
    expect(await selecting(a)).toEqual([any, all].toSorted());
    expect(await selecting(ab)).toEqual([both, any, all].toSorted());
    expect(await selecting('nobody')).toEqual([]);

    const guests = (id: string) =>
      related(opened, { entity: 'identities', id }, 'identities', selectedWith(name, 'identityRoles', 'guestRoles'));
    expect(await guests(a)).toEqual([a]);
    expect(await guests(ab)).toEqual([a, b, ab].toSorted());
    expect(await guests('nobody')).toEqual([]);
    await patch(caller, both, { guestRoles: ['#all'] });
    expect(await guests(ab)).toEqual([a, b, ab].toSorted());
    expect(await guests('nobody')).toEqual([]);
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
