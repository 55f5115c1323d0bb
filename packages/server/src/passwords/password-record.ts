import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../stores/entity-store.ts';

interface Password {
  readonly authenticatorId: string;
  /** PHC string. */
  readonly hash: string;
}

const noAttempts = { failedAttempts: 0, pendingAttempts: 0, pendingSince: null };

/** Stores the password of an authenticator in place of any other, without a trace of earlier attempts. */
export async function addPassword(tx: Transaction<Tables>, password: Password): Promise<void> {
  await store(tx, password, noAttempts);
}

/**
 * Replaces a password and resets the count of wrong ones. Pending attempts stay: they end by themselves. The transaction
 * must have locked the identity.
 */
export async function replacePassword(tx: Transaction<Tables>, password: Password): Promise<void> {
  await store(tx, password, { failedAttempts: 0 });
}

async function store(tx: Transaction<Tables>, password: Password, reset: Partial<typeof noAttempts>): Promise<void> {
  await tx
    .insertInto('passwords')
    .values({ ...password, ...noAttempts })
    .onConflict((conflict) => conflict.column('authenticatorId').doUpdateSet({ hash: password.hash, ...reset }))
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
