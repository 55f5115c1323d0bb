import type { Kysely, Transaction } from 'kysely';
import { secretToken, tokenHash } from '../../core/secrets/ids.ts';
import type { Sealer } from '../../core/secrets/sealer.ts';
import type { EnrollmentSigner } from '../../pki/enrollment-signer.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { EntityStore, Tables } from '../../storage/entity-store/entity-store.ts';

/** The secret of an enrollment: who has the token may redeem it. The JWT has the token and where to redeem it. */
export interface EnrollmentToken {
  readonly token: string;
  readonly jwt: string;
}

/** What those see who may not have the token. */
export const noToken: EnrollmentToken = { token: '', jwt: '' };

/** A token that was presented. It is consumed only if the enrollment still has it. */
export interface PresentedToken {
  readonly enrollmentId: string;
  readonly tokenHash: string;
}

interface IssueDependencies {
  readonly enrollmentSigner: EnrollmentSigner;
  readonly sealer: Sealer;
}

/** Makes the token of an enrollment. An earlier token can no longer be redeemed. */
export async function issueEnrollmentToken(
  { call, tx }: { call: IssueDependencies; tx: Transaction<Tables> },
  enrollment: {
    readonly id: string;
    /** The id of the identity or router. */
    readonly ownerId: string;
    readonly method: Tables['enrollments']['method'];
    /** Milliseconds since 1970. */
    readonly expiresAt: number;
  },
): Promise<void> {
  const { id: enrollmentId, ownerId, method, expiresAt } = enrollment;
  const token = secretToken();
  const jwt = await call.enrollmentSigner.sign({ ownerId, method, token, expiresAt });
  const secret: EnrollmentToken = { token, jwt };
  const row = { tokenHash: tokenHash(token), sealed: call.sealer.seal(JSON.stringify(secret), enrollmentId) };
  await tx
    .insertInto('enrollmentTokens')
    .values({ enrollmentId, ...row })
    .onConflict((conflict) => conflict.column('enrollmentId').doUpdateSet(row))
    .execute();
}

/** Returns which enrollment a token belongs to, or `null` for an unknown or consumed one. */
export async function findEnrollmentToken(db: Kysely<Tables>, token: string): Promise<PresentedToken | null> {
  const row = await db
    .selectFrom('enrollmentTokens')
    .select(['enrollmentId', 'tokenHash'])
    .where('tokenHash', '=', tokenHash(token))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Consumes a token with one conditional delete: of several transactions only one gets true. The caller deletes the
 * enrollment. The transaction must have locked the identity or router.
 */
export async function consumeEnrollmentToken(tx: Transaction<Tables>, presented: PresentedToken): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('enrollmentTokens')
    .where('enrollmentId', '=', presented.enrollmentId)
    .where('tokenHash', '=', presented.tokenHash)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Opens the tokens of many enrollments for display, by enrollment id. An enrollment without a token is left out. */
export async function openEnrollmentTokens(
  { database, sealer }: { database: Pick<EntityStore, 'db' | 'sql'>; sealer: Sealer },
  enrollmentIds: readonly string[],
): Promise<ReadonlyMap<string, EnrollmentToken>> {
  const rows = await database.db
    .selectFrom('enrollmentTokens')
    .select(['enrollmentId', 'sealed'])
    .where('enrollmentId', 'in', inValues(database.sql, enrollmentIds))
    .execute();
  return new Map(rows.map(({ enrollmentId, sealed }) => [enrollmentId, JSON.parse(sealer.open(sealed, enrollmentId))]));
}
