import { sql } from 'kysely';
import { selectValues } from '../storage/database/sql/select-values.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import { setTable } from './codec.ts';
import type { Readers } from './dependencies.ts';
import { attributesOf } from './role-attributes.ts';
import { isAnySelected, pairsSelected, policiesSelecting } from './roles.ts';

/** The roles in one field of policies. */
interface Roles {
  /** The name of the policies. */
  readonly policies: EntityName;
  readonly field: string;
}

/** A policy and an entity that it selects. */
export interface PolicyPair {
  readonly policyId: string;
  readonly entityId: string;
}

/** Reads the ids of the policies whose roles in a field select an entity. */
export async function policiesOf(services: Readers, { policies, field }: Roles, id: string): Promise<string[]> {
  const { attributes } = tablesOf(services, { policies, field });
  const selecting = policiesSelecting({ id, roles: setTable(policies, field), attributes });
  const { rows } = await sql<{ ownerId: string }>`${selecting}`.execute(services.database.db);
  return rows.map(({ ownerId }) => ownerId);
}

/** Reads which policies select each of some entities by their roles in a field. */
export async function readSelecting(
  services: Readers,
  { policies, field }: Roles,
  entityIds: readonly string[],
): Promise<PolicyPair[]> {
  const { db, sql: dialect } = services.database;
  const statement = pairsSelected({
    ...tablesOf(services, { policies, field }),
    policies: sql`select "id" from ${sql.table(policies)}`,
    roles: setTable(policies, field),
    ids: selectValues(dialect, entityIds),
  });
  return (await sql<PolicyPair>`${statement}`.execute(db)).rows;
}

/**
 * Reads what each of some policies selects by its roles in a field.
 *
 * @param request `policyIds`: the policies. `entityIds`: the entities to look for. Default: all
 */
export async function readPairs(
  services: Readers,
  { policyIds, entityIds, ...roles }: Roles & { policyIds: readonly string[]; entityIds?: readonly string[] },
): Promise<PolicyPair[]> {
  if (policyIds.length === 0) return [];
  const { db, sql: dialect } = services.database;
  const statement = pairsSelected({
    ...tablesOf(services, roles),
    policies: selectValues(dialect, policyIds),
    roles: setTable(roles.policies, roles.field),
    ...(entityIds && { ids: selectValues(dialect, entityIds) }),
  });
  return (await sql<PolicyPair>`${statement}`.execute(db)).rows;
}

/** Returns those of some policies that select at least one entity by their roles in a field. */
export async function selectingAny(
  services: Readers,
  { policyIds, ...roles }: Roles & { policyIds: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (policyIds.length === 0) return new Set();
  const { db, sql: dialect } = services.database;
  const isSelected = isAnySelected({
    ...tablesOf(services, roles),
    policies: sql`element.value`,
    roles: setTable(roles.policies, roles.field),
  });
  const { rows } = await sql<{
    id: string;
  }>`select element.value as "id" from ${dialect.texts(policyIds)} where ${isSelected}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

function tablesOf(services: Readers, { policies, field }: Roles) {
  const entities = services.definitions[policies].contract.fields[field]?.to as EntityName;
  return { entities, attributes: attributesOf(services, entities) };
}
