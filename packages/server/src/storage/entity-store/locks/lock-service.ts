import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { EntityStore, Tables } from '../entity-store.ts';

/** Locks a service for the rest of the transaction, as its deletion does. */
export async function lockService(
  { sql: dialect }: Pick<EntityStore, 'sql'>,
  tx: Transaction<Tables>,
  id: string,
): Promise<void> {
  await sql`select "id" from "services" where "id" = ${id} ${dialect.forUpdate}`.execute(tx);
}
