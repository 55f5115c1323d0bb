import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { EntityStore, Tables } from '../entity-store.ts';

/**
 * Keeps a signer from being deleted until the commit. Returns false when it was disabled or deleted, or when its JWTs may name
 * others now.
 */
export async function keepSigner(
  { sql: dialect }: Pick<EntityStore, 'sql'>,
  tx: Transaction<Tables>,
  { id, authVersion }: { readonly id: string; readonly authVersion: number },
): Promise<boolean> {
  const { rows } = await sql`select "id" from "externalJwtSigners"
    where "id" = ${id} and "authVersion" = ${authVersion} and "enabled" = 1 ${dialect.forKeyShare}`.execute(tx);
  return rows.length > 0;
}
