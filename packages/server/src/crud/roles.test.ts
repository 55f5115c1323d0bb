import fc from 'fast-check';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { EmptyDatabase } from '../../test/support/databases.ts';
import { openEmptyPostgres, openEmptySqlite } from '../../test/support/databases.ts';
import { createMembershipTables, insertRows } from '../../test/support/membership.ts';
import { selectValues } from '../storage/database/sql/select-values.ts';
import type { RoleSelection, Semantic } from './roles.ts';
import {
  isSelected,
  needOf,
  pairsSelected,
  policiesSelecting,
  policiesSelectingAny,
  policiesSelectingBoth,
  reduceRoles,
  selectedBy,
  selectedByFilter,
} from './roles.ts';

interface Entity {
  readonly id: string;
  readonly attributes: readonly string[];
}

interface Policy {
  readonly id: string;
  readonly semantic: Semantic;
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
}

interface World {
  readonly identities: readonly Entity[];
  readonly services: readonly Entity[];
  readonly policies: readonly Policy[];
}

const names = ['a', 'b', 'c', 'd', 'all', '@i0', '#a', `ü"'\\`];
const semantics = fc.constantFrom<Semantic>('AllOf', 'AnyOf');
const entities = (prefix: string) =>
  fc
    .array(fc.subarray(names), { maxLength: 6 })
    .map((held) => held.map((attributes, at) => ({ id: `${prefix}${at}`, attributes })));
const roles = (prefix: string) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(['#all']) },
    {
      weight: 6,
      arbitrary: fc.subarray([...names.filter((name) => name !== 'all').map((name) => `#${name}`), `@${prefix}1`]),
    },
  );
const worlds: fc.Arbitrary<World> = fc.record({
  identities: entities('i'),
  services: entities('s'),
  policies: fc
    .array(fc.record({ semantic: semantics, identityRoles: roles('i'), serviceRoles: roles('s') }), { maxLength: 5 })
    .map((policies) => policies.map((policy, at) => ({ ...policy, id: `p${at}` }))),
});

/** The rule, evaluated for one entity. */
function selects(list: readonly string[], semantic: Semantic, { id, attributes }: Entity): boolean {
  if (list.includes('#all') || list.includes(`@${id}`)) return true;
  const wanted = list.filter((role) => role.startsWith('#')).map((role) => role.slice(1));
  const holds = (name: string) => attributes.includes(name);
  return wanted.length > 0 && (semantic === 'AllOf' ? wanted.every(holds) : wanted.some(holds));
}

const tables = {
  identities: { roles: 'servicePolicies_identityRoles', attributes: 'identities_roleAttributes' },
  services: { roles: 'servicePolicies_serviceRoles', attributes: 'services_roleAttributes' },
} as const;
const row = (policy: string, value: string, need: number) => ({ ownerId: policy, value, need });

describe.each([
  { name: 'SQLite', open: openEmptySqlite, numRuns: 60 },
  { name: 'PostgreSQL', open: () => openEmptyPostgres(inject('postgresUrl')), numRuns: 30 },
])('membership by roles on $name', ({ open, numRuns }) => {
  let database: EmptyDatabase;

  beforeAll(async () => {
    database = await open();
    await createMembershipTables(database);
  });

  afterAll(() => database[Symbol.asyncDispose]());

  async function store({ identities, services, policies }: World): Promise<void> {
    for (const table of ['identities', 'services', 'servicePolicies']) {
      await sql`delete from ${sql.table(table)}`.execute(database.db);
    }
    const rolesOf = (field: 'identityRoles' | 'serviceRoles') =>
      policies.flatMap(({ id, semantic, [field]: list }) => list.map((role) => [id, role, needOf(list, semantic)]));
    const attributesOf = (list: readonly Entity[]) =>
      list.flatMap(({ id, attributes }) => attributes.map((name) => [id, name]));
    const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => [id, '']);
    await insertRows(database, 'identities', idsOf(identities));
    await insertRows(database, 'services', idsOf(services));
    await insertRows(database, 'servicePolicies', idsOf(policies));
    await insertRows(database, tables.identities.attributes, attributesOf(identities));
    await insertRows(database, tables.services.attributes, attributesOf(services));
    await insertRows(database, tables.identities.roles, rolesOf('identityRoles'));
    await insertRows(database, tables.services.roles, rolesOf('serviceRoles'));
  }

  async function idsOf(query: RawBuilder<unknown>): Promise<string[]> {
    const { rows } = await sql<{ ownerId: string }>`${query}`.execute(database.db);
    return rows.map(({ ownerId }) => ownerId).sort();
  }

  function selected(table: keyof typeof tables, selection: RoleSelection): Promise<string[]> {
    const { attributes } = tables[table];
    const condition = isSelected(selection, { attributes, dialect: database.dialect }) ?? sql`1 = 1`;
    return idsOf(sql`select t."id" as "ownerId" from ${sql.table(table)} t where ${condition}`);
  }

  const selectedThrough = async (target: keyof typeof tables, policies: RawBuilder<unknown>) =>
    selected(target, await selectedBy({ ...database, ...tables[target], policies }));

  async function pairsOf(policies: RawBuilder<unknown>): Promise<string[]> {
    const pairs = pairsSelected({ ...tables.services, entities: 'services', policies });
    const { rows } = await sql<{ policyId: string; entityId: string }>`${pairs}`.execute(database.db);
    return rows.map(({ policyId, entityId }) => `${policyId} ${entityId}`).sort();
  }

  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).sort();

  it('selects what a plain evaluation of every policy for every entity selects', async () => {
    const check = fc.asyncProperty(worlds, async (world) => {
      await store(world);
      const { identities, services, policies } = world;
      for (const policy of policies) {
        const members = identities.filter((each) => selects(policy.identityRoles, policy.semantic, each));
        expect(await selectedThrough('identities', sql`${policy.id}`)).toEqual(ids(members));
      }
      for (const identity of identities) {
        const subject = { ...tables.identities, id: identity.id };
        const own = policies.filter((policy) => selects(policy.identityRoles, policy.semantic, identity));
        expect(await idsOf(policiesSelecting(subject))).toEqual(ids(own));
        const granting = (service: Entity) =>
          own.filter((policy) => selects(policy.serviceRoles, policy.semantic, service));
        const usable = services.filter((service) => granting(service).length > 0);
        expect(await selectedThrough('services', policiesSelecting(subject))).toEqual(ids(usable));
        expect(await pairsOf(policiesSelecting(subject))).toEqual(
          services.flatMap((service) => granting(service).map(({ id }) => `${id} ${service.id}`)).sort(),
        );
        for (const service of services.slice(0, 2)) {
          const both = policiesSelectingBoth(subject, { ...tables.services, id: service.id });
          expect(await idsOf(both)).toEqual(ids(granting(service)));
        }
      }
    });
    await fc.assert(check, { numRuns });
  });

  it('finds the policies that select one of several entities', async () => {
    const check = fc.asyncProperty(worlds, fc.nat({ max: 3 }), async (world, count) => {
      await store(world);
      const { services, policies } = world;
      const some = services.slice(0, count);
      const asked = selectValues(database.dialect, ids(some));
      const found = await idsOf(policiesSelectingAny({ ids: asked, entities: 'services', ...tables.services }));
      const isSelecting = ({ serviceRoles, semantic }: (typeof policies)[number]) =>
        some.some((service) => selects(serviceRoles, semantic, service));
      expect(found).toEqual(ids(policies.filter(isSelecting)));
    });
    await fc.assert(check, { numRuns });
  });

  it('selects what a plain evaluation of a role filter selects', async () => {
    const entries = [...names.map((name) => `#${name}`), '@i1', '@unknown'];
    const filters = fc.tuple(entities('i'), fc.array(fc.constantFrom(...entries), { maxLength: 5 }), semantics);
    const check = fc.asyncProperty(filters, async ([identities, list, semantic]) => {
      await store({ identities, services: [], policies: [] });
      // Here `#all` is no more than an attribute.
      const names = list.filter((role) => role.startsWith('#')).map((role) => role.slice(1));
      const matches = ({ id, attributes }: Entity) => {
        const holds = (name: string) => attributes.includes(name);
        const isMatch = semantic === 'AllOf' ? names.length > 0 && names.every(holds) : names.some(holds);
        return isMatch || list.includes(`@${id}`);
      };
      const { attributes } = tables.identities;
      const found = await selected(
        'identities',
        await selectedByFilter({ ...database, roles: list, semantic, attributes }),
      );
      expect(found).toEqual(ids(identities.filter(matches)));
    });
    await fc.assert(check, { numRuns });
  });

  it('selects the holders of all attributes of a large group', async () => {
    const many = Array.from({ length: 80 }, (_, at) => `name ${at}`);
    await store({
      identities: [
        { id: 'every', attributes: many },
        { id: 'all but one', attributes: many.slice(1) },
      ],
      services: [],
      policies: [{ id: 'p', semantic: 'AllOf', identityRoles: many.map((name) => `#${name}`), serviceRoles: [] }],
    });
    expect(await selectedThrough('identities', sql`'p'`)).toEqual(['every']);
  });

  it('starts a group at its rarest attribute', async () => {
    const identities = [['popular', 'known'], ['popular', 'known', 'rare'], ['popular']];
    await store({
      identities: identities.map((attributes, at) => ({ id: `i${at}`, attributes })),
      services: [],
      policies: [
        { id: 'p', semantic: 'AllOf', identityRoles: ['#popular', '#known', '#rare', '#absent'], serviceRoles: [] },
      ],
    });
    const { groups } = await selectedBy({ ...database, ...tables.identities, policies: sql`'p'` });
    expect(groups).toEqual([['absent', 'rare', 'known', 'popular']]);
  });

  it('has one statement for any number of attributes and ids', () => {
    const textOf = (count: number) => {
      const list = Array.from({ length: count }, (_, at) => `x${at}`);
      const selection = { all: false, ids: list, any: list, groups: list.map((name) => [name, 'y', 'z']) };
      const condition = isSelected(selection, { attributes: 'identities_roleAttributes', dialect: database.dialect });
      return condition?.compile(database.db).sql;
    };
    expect(textOf(100)).toBe(textOf(1));
  });
});

describe('needOf', () => {
  it('counts the attributes under AllOf, each once, and neither ids nor #all', () => {
    expect(needOf(['#a', '#b', '#a', '@x'], 'AllOf')).toBe(2);
    expect(needOf(['#a', '@x'], 'AllOf')).toBe(1);
    expect(needOf(['@x', '@y'], 'AllOf')).toBe(1);
    expect(needOf(['#all'], 'AllOf')).toBe(1);
    expect(needOf(['#a', '#b'], 'AnyOf')).toBe(1);
  });
});

describe('reduceRoles', () => {
  it('leaves out all other roles beside #all', () => {
    expect(reduceRoles([row('p', '#a', 1), row('q', '#all', 1)])).toEqual({ all: true, ids: [], any: [], groups: [] });
  });

  it('leaves out duplicates, and groups that another role covers', () => {
    const rows = [
      ...[row('p', '#a', 1), row('q', '#a', 1), row('q', '@x', 1), row('r', '@x', 1)],
      ...[row('covered by a', '#a', 2), row('covered by a', '#b', 2)],
      ...[row('larger', '#b', 3), row('larger', '#c', 3), row('larger', '#d', 3)],
      ...[row('kept', '#b', 2), row('kept', '#c', 2)],
      ...[row('same', '#c', 2), row('same', '#b', 2)],
    ];
    expect(reduceRoles(rows)).toEqual({ all: false, ids: ['x'], any: ['a'], groups: [['b', 'c']] });
  });

  it('keeps groups that share an attribute, and a group beside a single attribute that it does not have', () => {
    const rows = [
      ...[row('one', '#a', 2), row('one', '#b', 2)],
      ...[row('other', '#a', 2), row('other', '#c', 2)],
      ...[row('larger', '#a', 3), row('larger', '#d', 3), row('larger', '#e', 3)],
      row('single', '#f', 1),
    ];
    const groups = [
      ['a', 'b'],
      ['a', 'c'],
      ['a', 'd', 'e'],
    ];
    expect(reduceRoles(rows)).toEqual({ all: false, ids: [], any: ['f'], groups });
  });
});
