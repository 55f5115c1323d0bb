import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../../storage/entity-store/entity-store.ts';

interface Password {
  readonly authenticatorId: string;
  /** PHC string. */
  readonly hash: string;
}

/** Stores the password of an authenticator, in place of an earlier one, and resets the count of wrong passwords. */
export async function setPassword(tx: Transaction<Tables>, { authenticatorId, hash }: Password): Promise<void> {
  await tx
    .insertInto('passwords')
    .values({ authenticatorId, hash, failedAttempts: 0 })
    .onConflict((conflict) => conflict.column('authenticatorId').doUpdateSet({ hash, failedAttempts: 0 }))
    .execute();
}

interface NewHash {
  readonly authenticatorId: string;
  readonly from: string;
  readonly to: string;
}

/** Stores another hash of the same password, unless the password was changed meanwhile. */
export async function replaceHash(tx: Transaction<Tables>, { authenticatorId, from, to }: NewHash): Promise<void> {
  await tx
    .updateTable('passwords')
    .set({ hash: to })
    .where('authenticatorId', '=', authenticatorId)
    .where('hash', '=', from)
    .execute();
}

/** The hash of the password of an authenticator or null, for `select` in a query that reads `authenticators`. */
export const passwordHash = sql<string | null>`(select "passwords"."hash" from "passwords"
  where "passwords"."authenticatorId" = "authenticators"."id")`;

/** Returns the hash, or `null` when the authenticator has no password. */
export async function findPasswordHash(db: Kysely<Tables>, authenticatorId: string): Promise<string | null> {
  const row = await db
    .selectFrom('passwords')
    .select('hash')
    .where('authenticatorId', '=', authenticatorId)
    .executeTakeFirst();
  return row?.hash ?? null;
}

/** Counts a wrong password. Returns the number of wrong passwords in a row, 0 when the authenticator is gone. */
export async function countWrongPassword(tx: Transaction<Tables>, authenticatorId: string): Promise<number> {
  const row = await tx
    .updateTable('passwords')
    .set({ failedAttempts: sql`"failedAttempts" + 1` })
    .where('authenticatorId', '=', authenticatorId)
    .returning('failedAttempts')
    .executeTakeFirst();
  return row?.failedAttempts ?? 0;
}

/** Resets the count of wrong passwords of an identity. */
export async function resetFailedAttempts(tx: Transaction<Tables>, identityId: string): Promise<void> {
  await tx
    .updateTable('passwords')
    .set({ failedAttempts: 0 })
    .where('authenticatorId', 'in', (query) =>
      query.selectFrom('authenticators').select('id').where('identityId', '=', identityId),
    )
    .where('failedAttempts', '>', 0)
    .execute();
}
