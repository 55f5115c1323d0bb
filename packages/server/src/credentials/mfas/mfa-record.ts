import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { ApiError, notFound } from '../../core/api-error.ts';
import { shortId } from '../../core/secrets/ids.ts';
import { isoTime } from '../../core/time/clock.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { EntityStore, Tables } from '../../storage/entity-store/entity-store.ts';
import { lockIdentity } from '../../storage/entity-store/locks/lock-identity.ts';
import type { Dependencies } from './dependencies.ts';
import type { MfaRow } from './mfa-row.ts';
import { sealRecoveryCodes, sealSecret } from './sealed-members.ts';
import { noUsedSteps } from './used-steps.ts';

export interface NewMfa {
  readonly identityId: string;
  /** The API session that starts the enrollment. */
  readonly sessionId: string;
  /** Base32. */
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/**
 * Stores an unverified TOTP and returns its id. It replaces an unverified record of another session. Otherwise somebody
 * who knows only the password could set or read the secret that the identity uses later.
 *
 * @throws 409 `MFA_EXISTS` when there is a verified record or an unverified one of this session, 404 without the identity
 */
export async function createMfa(
  call: Pick<Dependencies, 'clock' | 'database' | 'sealer'>,
  { identityId, sessionId, secret, recoveryCodes }: NewMfa,
): Promise<string> {
  const mfa = { id: shortId(), identityId };
  const now = isoTime(call.clock());
  const row: MfaRow = {
    ...mfa,
    createdAt: now,
    updatedAt: now,
    tags: '{}',
    isVerified: 0,
    sealedSecret: sealSecret(call, mfa, secret),
    sealedRecoveryCodes: sealRecoveryCodes(call, mfa, recoveryCodes),
    usedSteps: noUsedSteps,
    attempts: 0,
    attemptedAt: null,
    sessionId,
  };
  const write = call.database.transaction(async (tx) => {
    if (!(await lockIdentity(call.database, tx, identityId))) throw notFound('identity', identityId);
    await tx
      .deleteFrom('mfas')
      .where('identityId', '=', identityId)
      .where('isVerified', '=', 0)
      .where('sessionId', '<>', sessionId)
      .execute();
    await tx.insertInto('mfas').values(row).execute();
  });
  await write.catch((error: unknown) => {
    throw call.database.violatedUnique(error) === 'identityId' ? new ApiError('MFA_EXISTS', { origin: error }) : error;
  });
  return mfa.id;
}

export function findMfa(db: Kysely<Tables>, identityId: string): Promise<MfaRow | undefined> {
  return db.selectFrom('mfas').selectAll().where('identityId', '=', identityId).executeTakeFirst();
}

/** The id of the verified TOTP of an identity or null, for `select` in a query that reads `identities`. */
export const verifiedMfaId = sql<string | null>`(select "mfas"."id" from "mfas"
  where "mfas"."identityId" = "identities"."id" and "mfas"."isVerified" = 1)`;

/** Returns those of the identities that have a verified TOTP. */
export async function identitiesWithMfa(
  { db, sql: dialect }: Pick<EntityStore, 'db' | 'sql'>,
  identityIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('mfas')
    .select('identityId')
    .where('identityId', 'in', inValues(dialect, identityIds))
    .where('isVerified', '=', 1)
    .execute();
  return new Set(rows.map((row) => row.identityId));
}

/** Removes the TOTP of an identity. Returns false when it has none. */
export async function removeMfa(db: Kysely<Tables>, identityId: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('mfas').where('identityId', '=', identityId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns false when the record is gone or verified. No session depends on an unverified TOTP, so none is updated. */
export async function removeUnverifiedMfa(db: Kysely<Tables>, { id }: Pick<MfaRow, 'id'>): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('mfas')
    .where('id', '=', id)
    .where('isVerified', '=', 0)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Counts the TOTPs of all identities, also those that are not verified. */
export async function countMfas(db: Kysely<Tables>): Promise<number> {
  const { count } = await db
    .selectFrom('mfas')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
