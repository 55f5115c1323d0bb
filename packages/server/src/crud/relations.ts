import type { RelatedEntities } from '@edge-controller/shared-types';
import { contracts, relatedEntities } from '@edge-controller/shared-types';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { inValues, selectValues } from '../storage/database/sql/select-values.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import { setTable } from './codec.ts';
import type { Dependencies } from './dependencies.ts';
import { attributesOf } from './role-attributes.ts';
import type { Subject } from './roles.ts';
import { isSelected, policiesSelecting, selectedBy } from './roles.ts';

/** An entity whose related entities are asked for. */
interface Owner {
  readonly entity: EntityName;
  readonly id: string;
  /** The type of the policies that count, in lower case. Default: any. */
  readonly policyType?: string | undefined;
}

/** Which entities a relation of the owner lists: conditions on `t`, the row of the listed entity. An unknown owner has none. */
export async function relatedTo(
  dependencies: Dependencies,
  { entity, id, policyType }: Owner,
  { relation, target }: RelatedEntities,
): Promise<RawBuilder<boolean>[]> {
  if (relation.kind === 'hasMany') return [whereForeignKey(dependencies, target as EntityName, relation.field, id)];
  if (relation.kind === 'belongsToMany') {
    return [
      sql`t."id" in (select "value" from ${sql.table(setTable(entity, relation.field))} where "ownerId" = ${id})`,
    ];
  }
  if (relation.kind === 'selects') {
    const table = setTable(entity, relation.field);
    return await whereSelected(dependencies, target as EntityName, table, sql`${id}`);
  }
  const policies = policiesOf(dependencies, { entity, id }, setTable(relation.policies, relation.field));
  if (relation.kind === 'selectedBy') return [sql`t."id" in (${policies})`];
  const ofType = policyType === undefined ? policies : whereType(relation.policies, policyType, policies);
  return await whereSelected(dependencies, target as EntityName, setTable(relation.policies, relation.others), ofType);
}

/** As `relatedTo`, for the relation with this name: `edge-routers` of an identity. */
export async function relatedBy(
  dependencies: Dependencies,
  link: string,
  owner: Owner,
): Promise<RawBuilder<boolean>[]> {
  return await relatedTo(dependencies, owner, relationOf(link, owner));
}

/** Reads the ids of the entities that the relation with this name lists. `among`: only those of these ids. */
export async function readRelatedIds(
  dependencies: Dependencies,
  link: string,
  owner: Owner & { readonly among?: readonly string[] },
): Promise<string[]> {
  const { lists, sql: dialect } = dependencies.database;
  const { among } = owner;
  const conditions = await relatedBy(dependencies, link, owner);
  if (among) conditions.push(sql`t."id" in (${selectValues(dialect, among)})`);
  const where = sql.join([sql`1 = 1`, ...conditions], sql` and `);
  const { rows } = await sql<{ id: string }>`select t."id" from ${sql.table(relationOf(link, owner).target)} as t
    where ${where}`.execute(lists);
  return rows.map(({ id }) => id);
}

function relationOf(link: string, { entity }: Owner): RelatedEntities {
  const related = relatedEntities(contracts, entity).find(({ name }) => name === link);
  if (!related) throw new Error(`${entity} have no relation '${link}'`);
  return related;
}

/** The entities that name an entity in a field: a condition on `t`, the row of the listed entity. */
export function whereForeignKey(
  { definitions }: Dependencies,
  listed: EntityName,
  field: string,
  id: string,
): RawBuilder<boolean> {
  if (definitions[listed].contract.fields[field]?.kind === 'reference') return sql`${sql.ref(`t.${field}`)} = ${id}`;
  return sql`t."id" in (select "ownerId" from ${sql.table(setTable(listed, field))} where "value" = ${id})`;
}

/** A sub-query with the ids of the policies that select an entity. `#all` does not select an unknown entity. */
function policiesOf(dependencies: Dependencies, { entity, id }: Owner, roles: string): RawBuilder<unknown> {
  const subject: Subject = { id, roles, attributes: attributesOf(dependencies, entity) };
  return sql`select "ownerId" from (${policiesSelecting(subject)}) as selecting
    where exists (select 1 from ${sql.table(entity)} where "id" = ${id})`;
}

/** A sub-query with the ids of those policies that have a type. */
function whereType(policies: string, type: string, ids: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select "id" from ${sql.table(policies)} where lower("type") = ${type} and "id" in (${ids})`;
}

async function whereSelected(
  dependencies: Dependencies,
  target: EntityName,
  roles: string,
  policies: RawBuilder<unknown>,
): Promise<RawBuilder<boolean>[]> {
  const { lists: db, sql: dialect } = dependencies.database;
  const attributes = attributesOf(dependencies, target);
  const condition = isSelected(await selectedBy({ db, dialect, roles, policies, attributes }), { attributes, dialect });
  return condition ? [condition] : [];
}

/** The entities whose `field` has none of these ids: a condition on `t`, the row. */
export function whereNoneOf({ database }: Dependencies, field: string, ids: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(`t.${field}`)} in ${inValues(database.sql, ids)}) is not true`;
}

/** The entities whose boolean `field` is true: a condition on `t`, the row. */
export function whereTrue(field: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`t.${field}`)} = 1`;
}
