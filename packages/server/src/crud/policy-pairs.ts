import { sql } from 'kysely';
import { selectValues } from '../database/sql/select-values.ts';
import type { EntityName } from '../entity-store/tables.ts';
import { setTable } from './codec.ts';
import { attributesOf } from './role-attributes.ts';
import { pairsSelected, policiesSelecting } from './roles.ts';
import type { Services } from './services.ts';

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
export async function policiesOf(services: Services, { policies, field }: Roles, id: string): Promise<string[]> {
  const { attributes } = tablesOf(services, { policies, field });
  const selecting = policiesSelecting({ id, roles: setTable(policies, field), attributes });
  const { rows } = await sql<{ ownerId: string }>`${selecting}`.execute(services.entities.db);
  return rows.map(({ ownerId }) => ownerId);
}

/**
 * Reads what each of some policies selects by its roles in a field.
 *
 * @param request `policyIds`: the policies. `entityIds`: the entities to look for. Default: all
 */
export async function readPairs(
  services: Services,
  { policyIds, entityIds, ...roles }: Roles & { policyIds: readonly string[]; entityIds?: readonly string[] },
): Promise<PolicyPair[]> {
  if (policyIds.length === 0) return [];
  const { db, sql: dialect } = services.entities;
  const statement = pairsSelected({
    ...tablesOf(services, roles),
    policies: selectValues(dialect, policyIds),
    roles: setTable(roles.policies, roles.field),
    ...(entityIds && { ids: selectValues(dialect, entityIds) }),
  });
  return (await sql<PolicyPair>`${statement}`.execute(db)).rows;
}

function tablesOf(services: Services, { policies, field }: Roles) {
  const entities = services.definitions[policies].contract.fields[field]?.to as EntityName;
  return { entities, attributes: attributesOf(services, entities) };
}
