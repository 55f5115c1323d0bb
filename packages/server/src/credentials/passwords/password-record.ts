import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../../storage/entity-store/entity-store.ts';

export interface Password {
  readonly authenticatorId: string;
  /** PHC string. */
  readonly hash: string;
  /** Whether somebody else than its owner sets it. */
  readonly isSetByOther: boolean;
}

/** Stores the password of an authenticator, in place of an earlier one, and resets the count of wrong passwords. */
export async function setPassword(tx: Transaction<Tables>, password: Password): Promise<void> {
  const { authenticatorId, hash } = password;
  const stored = { hash, failedAttempts: 0, isSetByOther: Number(password.isSetByOther) };
  await tx
    .insertInto('passwords')
    .values({ authenticatorId, ...stored })
    .onConflict((conflict) => conflict.column('authenticatorId').doUpdateSet(stored))
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

/** 1 when somebody else has set the password of an identity, for `select` in a query that reads `identities`. */
export const isPasswordOfOther = sql<number>`(select count(*) from "passwords"
  join "authenticators" on "authenticators"."id" = "passwords"."authenticatorId"
  where "authenticators"."identityId" = "identities"."id" and "passwords"."isSetByOther" = 1)`;

/** Returns `null` when the authenticator has no password. */
export async function findPassword(db: Kysely<Tables>, authenticatorId: string): Promise<Password | null> {
  const row = await db
    .selectFrom('passwords')
    .select(['hash', 'isSetByOther'])
    .where('authenticatorId', '=', authenticatorId)
    .executeTakeFirst();
  return row ? { authenticatorId, hash: row.hash, isSetByOther: row.isSetByOther === 1 } : null;
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
