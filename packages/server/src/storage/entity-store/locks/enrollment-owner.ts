import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { EntityStore, Tables } from '../entity-store.ts';

/** The identity or router that an enrollment belongs to. */
export interface EnrollmentOwner {
  readonly table: 'identities' | 'edgeRouters' | 'transitRouters';
  readonly id: string;
}

type OwnerIds = Pick<Tables['enrollments'], 'identityId' | 'edgeRouterId' | 'transitRouterId'>;

export function ownerOf({ identityId, edgeRouterId, transitRouterId }: OwnerIds): EnrollmentOwner {
  if (identityId !== null) return { table: 'identities', id: identityId };
  if (edgeRouterId !== null) return { table: 'edgeRouters', id: edgeRouterId };
  return { table: 'transitRouters', id: String(transitRouterId) };
}

/**
 * Locks the owner of an enrollment for the rest of the transaction. All changes of several of its rows lock it first, as its
 * deletion does: another order could deadlock. Returns false when there is none.
 */
export async function lockOwner(
  { sql: dialect }: Pick<EntityStore, 'sql'>,
  tx: Transaction<Tables>,
  { table, id }: EnrollmentOwner,
): Promise<boolean> {
  const { rows } = await sql`select "id" from ${sql.table(table)} where "id" = ${id} ${dialect.forUpdate}`.execute(tx);
  return rows.length > 0;
}
