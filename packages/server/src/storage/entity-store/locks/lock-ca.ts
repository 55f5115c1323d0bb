import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { EntityStore, Tables } from '../entity-store.ts';

/**
 * Keeps a CA from being deleted until the commit. Returns false when there is no such CA. A transaction that also locks an
 * identity locks the identity first.
 */
export async function keepCa(
  { sql: dialect }: Pick<EntityStore, 'sql'>,
  tx: Transaction<Tables>,
  caId: string,
): Promise<boolean> {
  const { rows } = await sql`select "id" from "cas" where "id" = ${caId} ${dialect.forKeyShare}`.execute(tx);
  return rows.length > 0;
}

/**
 * Locks the identities whose enrollments disappear with a CA. A deletion does this before it locks the CA: whoever redeems or
 * creates an enrollment locks the identity first, too, and another order could deadlock.
 */
export async function lockIdentitiesOfCa(
  { sql: dialect }: Pick<EntityStore, 'sql'>,
  tx: Transaction<Tables>,
  caId: string,
): Promise<void> {
  await sql`select "id" from "identities"
    where "id" in (select "identityId" from "enrollments" where "caId" = ${caId})
    order by "id" ${dialect.forUpdate}`.execute(tx);
}

/**
 * Reads a CA and locks it until the commit. Returns `null` when there is no such CA. A transaction that also locks an identity
 * locks the identity first.
 */
export async function lockCa(
  { sql: dialect }: Pick<EntityStore, 'sql'>,
  tx: Transaction<Tables>,
  caId: string,
): Promise<Tables['cas'] | null> {
  const { rows } = await sql<Tables['cas']>`select * from "cas" where "id" = ${caId} ${dialect.forUpdate}`.execute(tx);
  return rows[0] ?? null;
}
