import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { EntityStore, Tables } from '../entity-store.ts';

/**
 * Locks an identity for the rest of the transaction. All changes of several rows of an identity lock it first, as its
 * deletion does: another order could deadlock. Returns false when there is no such identity.
 */
export async function lockIdentity(
  { sql: dialect }: Pick<EntityStore, 'sql'>,
  tx: Transaction<Tables>,
  identityId: string,
): Promise<boolean> {
  const { rows } = await sql`select "id" from "identities" where "id" = ${identityId} ${dialect.forUpdate}`.execute(tx);
  return rows.length > 0;
}
