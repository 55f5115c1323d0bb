import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { SqlDialect } from '../storage/database/sql/dialect.ts';
import { selectValues } from '../storage/database/sql/select-values.ts';
import { textValue } from '../storage/database/sql/text-value.ts';

type Sql = RawBuilder<unknown>;

/** `AllOf`: an entity needs every `#` role of the policy. `AnyOf`: one is enough. */
export type Semantic = 'AllOf' | 'AnyOf';

/** A row of a table with the roles of policies. */
export interface RoleRow {
  /** Id of the policy. */
  readonly ownerId: string;
  /** `#attribute`, `@id` or `#all`. */
  readonly value: string;
  /** How many of the `#` roles of this policy an entity needs. */
  readonly need: number;
}

/** The entities that some roles select: those that meet at least one of the members. */
export interface RoleSelection {
  /** Every entity is selected, and the other members are empty. */
  readonly all: boolean;
  readonly ids: readonly string[];
  /** Entities with one of these attributes. */
  readonly any: readonly string[];
  /** Entities with all attributes of one of these groups. A group has at least two. */
  readonly groups: readonly (readonly string[])[];
}

const isAttributeRole = (role: string) => role.startsWith('#') && role !== '#all';
const nameIn = (role: string) => role.slice(1);

/** The ids in roles: those of the `@id` entries. */
export function idsOfRoles(roles: readonly string[]): string[] {
  return roles.filter((role) => role.startsWith('@')).map(nameIn);
}

/** The column `need` of the roles of one policy. */
export function needOf(roles: readonly string[], semantic: Semantic): number {
  return semantic === 'AnyOf' ? 1 : Math.max(1, new Set(roles.filter(isAttributeRole)).size);
}

/** Joins the roles of some policies to one selection, without redundant roles. */
export function reduceRoles(rows: readonly RoleRow[]): RoleSelection {
  if (rows.some(({ value }) => value === '#all')) return { all: true, ids: [], any: [], groups: [] };
  const ids = new Set(rows.filter(({ value }) => value.startsWith('@')).map(({ value }) => nameIn(value)));
  const attributes = rows.filter(({ value }) => value.startsWith('#'));
  const any = new Set(attributes.filter(({ need }) => need === 1).map(({ value }) => nameIn(value)));
  const grouped = Map.groupBy(
    attributes.filter(({ need }) => need > 1),
    ({ ownerId }) => ownerId,
  );
  const groups = [...grouped.values()].map((group) => group.map(({ value }) => nameIn(value)));
  return { all: false, ids: [...ids], any: [...any], groups: withoutRedundant(groups, any) };
}

/** Removes redundant groups: those with an attribute that selects alone, and those with all attributes of another group. */
function withoutRedundant(groups: readonly string[][], any: ReadonlySet<string>): string[][] {
  const kept: Set<string>[] = [];
  for (const group of groups.toSorted((one, other) => one.length - other.length)) {
    const names = new Set(group);
    const isRedundant =
      group.some((name) => any.has(name)) || kept.some((smaller) => [...smaller].every((name) => names.has(name)));
    if (!isRedundant) kept.push(names);
  }
  return kept.map((names) => [...names]);
}

/** One entity and the roles that may select it. */
export interface Subject {
  /** Its id, or the column that has it. */
  readonly id: string | RawBuilder<string>;
  /** Table of the policies' roles, `servicePolicies_identityRoles` for example. */
  readonly roles: string;
  /** Table of the entities' role attributes, `identities_roleAttributes` for example. */
  readonly attributes: string;
}

/** A sub-query with the ids of the policies that select one entity. */
export function policiesSelecting({ id, roles, attributes }: Subject): Sql {
  const role = typeof id === 'string' ? sql`${`@${id}`}` : sql`'@' || ${id}`;
  return sql`select "ownerId" from ${sql.table(roles)} where "value" in ('#all', ${role})
    union select r."ownerId" from ${sql.table(attributes)} a join ${sql.table(roles)} r on r."value" = '#' || a."value"
    where a."ownerId" = ${typeof id === 'string' ? textValue(id) : id} and r."value" <> '#all' group by r."ownerId" having count(*) >= max(r."need")`;
}

/** Some entities and the roles that may select them. */
interface Subjects extends Omit<Subject, 'id'> {
  /** A sub-query with their ids. */
  readonly ids: Sql;
  /** Their table, `services` for example. */
  readonly entities: string;
}

/** A sub-query with the ids of the policies that select at least one of some entities. */
export function policiesSelectingAny({ ids, entities, roles, attributes }: Subjects): Sql {
  const [r, a] = [sql`${sql.table(roles)} r`, sql`${sql.table(attributes)} a`];
  return sql`select r."ownerId" from ${r} where r."value" = '#all' and exists (${ids})
    union select r."ownerId" from ${r}
      where r."value" in (select '@' || e."id" from ${sql.table(entities)} e where e."id" in (${ids}))
    union select r."ownerId" from ${r} where r."need" = 1 and r."value" <> '#all'
      and r."value" in (select '#' || a."value" from ${a} where a."ownerId" in (${ids}))
    union select "policyId" from (select r."ownerId" as "policyId" from ${a} join ${r} on r."value" = '#' || a."value"
      where r."need" > 1 and a."ownerId" in (${ids})
      group by r."ownerId", a."ownerId" having count(*) >= max(r."need")) as grouped`;
}

/**
 * A sub-query with the ids of the policies that select both entities. Without such a policy, the one may not use the
 * other.
 */
export function policiesSelectingBoth(one: Subject, other: Subject): Sql {
  return sql`select "ownerId" from (${policiesSelecting(one)}) as one
    intersect select "ownerId" from (${policiesSelecting(other)}) as other`;
}

/** Some policies, and the entities that they may select. */
interface Candidates {
  /** A sub-query with the ids of the policies. */
  readonly policies: Sql;
  /** As in `Subject`. */
  readonly roles: string;
  /** Table of the entities, `services` for example. */
  readonly entities: string;
  /** Table of their role attributes. */
  readonly attributes: string;
  /** A sub-query with the ids of the entities. Default: all. */
  readonly ids?: Sql;
}

/** A statement that reads each policy with each entity that it selects: `policyId`, `entityId`. */
export function pairsSelected(candidates: Candidates): Sql {
  return sql.join(pairsByRole(candidates), sql` union `);
}

/** A condition: at least one of the policies selects an entity. */
export function isAnySelected(candidates: Candidates): RawBuilder<boolean> {
  // The database ends with the first row.
  return sql.join(
    pairsByRole(candidates).map((pairs) => sql`exists (${pairs})`),
    sql` or `,
  );
}

/** The entities that are selected by `#all`, by their ids, and by their attributes. */
function pairsByRole({ policies, roles, entities, attributes, ids }: Candidates): readonly Sql[] {
  const [r, e, a] = [sql`${sql.table(roles)} r`, sql`${sql.table(entities)} e`, sql`${sql.table(attributes)} a`];
  const isCandidate = (id: string) => {
    const isOne = sql`r."ownerId" in (${policies})`;
    return ids ? sql`${isOne} and ${sql.ref(id)} in (${ids})` : isOne;
  };
  return [
    sql`select r."ownerId" as "policyId", e."id" as "entityId" from ${r} cross join ${e}
      where r."value" = '#all' and ${isCandidate('e.id')}`,
    sql`select r."ownerId", e."id" from ${e} join ${r} on r."value" = '@' || e."id" where ${isCandidate('e.id')}`,
    sql`select r."ownerId", a."ownerId" from ${a} join ${r} on r."value" = '#' || a."value"
      where r."value" <> '#all' and ${isCandidate('a.ownerId')}
      group by r."ownerId", a."ownerId" having count(*) >= max(r."need")`,
  ];
}

/**
 * Reads what the roles of some policies select.
 *
 * @param roles table of the roles that decide, `servicePolicies_serviceRoles` for example
 * @param policies a sub-query with the ids of the policies
 * @param attributes table of the role attributes of the entities to select, `services_roleAttributes` for example
 */
export async function selectedBy<DB>(request: {
  db: Kysely<DB>;
  dialect: SqlDialect;
  roles: string;
  policies: Sql;
  attributes: string;
}): Promise<RoleSelection> {
  const { db, roles, policies } = request;
  const table = sql.table(roles);
  const { rows } = await sql<RoleRow>`select "ownerId", "value", "need" from ${table}
    where "ownerId" in (${policies})`.execute(db);
  return rarestFirst(reduceRoles(rows), request);
}

/**
 * Reads what the `roleFilter` of a list selects. There `#all` is an attribute with the name `all`.
 *
 * @param roles `#attribute` or `@id`. Entries with another prefix select nothing.
 * @param attributes table of the role attributes of the listed entities
 */
export async function selectedByFilter<DB>(request: {
  db: Kysely<DB>;
  dialect: SqlDialect;
  roles: readonly string[];
  semantic: Semantic;
  attributes: string;
}): Promise<RoleSelection> {
  const { roles, semantic } = request;
  const names = [...new Set(roles.filter((role) => role.startsWith('#')).map(nameIn))];
  const ids = [...new Set(roles.filter((role) => role.startsWith('@')).map(nameIn))];
  const isGroup = semantic === 'AllOf' && names.length > 1;
  return rarestFirst({ all: false, ids, any: isGroup ? [] : names, groups: isGroup ? [names] : [] }, request);
}

/**
 * Sorts each group, the rarest attribute first: the database finds the entities with the first attribute, then tests
 * them for the others.
 */
async function rarestFirst<DB>(
  selection: RoleSelection,
  { db, dialect, attributes }: { db: Kysely<DB>; dialect: SqlDialect; attributes: string },
): Promise<RoleSelection> {
  const names = [...new Set(selection.groups.flat())];
  if (names.length === 0) return selection;
  const { rows } = await sql<{ value: string; holders: number | string }>`select "value", count(*) as holders
    from ${sql.table(attributes)} where "value" in (${selectValues(dialect, names)}) group by "value"`.execute(db);
  const holders = new Map(rows.map((row) => [row.value, Number(row.holders)]));
  const count = (name: string) => holders.get(name) ?? 0;
  return {
    ...selection,
    groups: selection.groups.map((group) => group.toSorted((one, other) => count(one) - count(other))),
  };
}

/**
 * A condition that is true for the rows of `t` that are selected, `null` when all are. The text of the statement does not
 * depend on the number of attributes and ids.
 *
 * @param attributes table of the role attributes of the entities in `t`
 */
export function isSelected(
  { all, ids, any, groups }: RoleSelection,
  { attributes, dialect }: { attributes: string; dialect: SqlDialect },
): RawBuilder<boolean> | null {
  if (all) return null;
  const table = sql.table(attributes);
  const parts = [
    ...(any.length > 0 ? [sql`select "ownerId" from ${table} where "value" in (${selectValues(dialect, any)})`] : []),
    ...(groups.length > 0 ? [holdersOfGroups(groups, table, dialect)] : []),
    ...(ids.length > 0 ? [selectValues(dialect, ids)] : []),
  ];
  return parts.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`t."id" in (${sql.join(parts, sql` union `)})`;
}

function holdersOfGroups(groups: readonly (readonly string[])[], table: Sql, dialect: SqlDialect): Sql {
  const list = groups.map(([first, second, ...others]) => [first, second, others]);
  const element = sql.ref('element.value');
  const item = (at: number) => dialect.item(element, at);
  // Each step is materialized, or PostgreSQL starts with a frequent attribute. The limit tells it how few groups there are.
  return sql`select "ownerId" from (
    with wanted as materialized (select ${item(0)} as "first", ${item(1)} as "second", ${item(2)} as "others"
        from ${dialect.elements(sql`${JSON.stringify(list)}`)} limit ${groups.length}),
      one as materialized (select a."ownerId", wanted."second", wanted."others"
        from wanted cross join ${table} a where a."value" = wanted."first"),
      two as materialized (select one."ownerId", one."others"
        from one cross join ${table} a where a."value" = one."second" and a."ownerId" = one."ownerId")
    select "ownerId" from two where not exists (
      select 1 from ${dialect.elements(sql.ref('two.others'))} where not exists (
        select 1 from ${table} a where a."value" = ${element} and a."ownerId" = two."ownerId"))) as holders`;
}
