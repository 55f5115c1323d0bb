import type { Kysely } from 'kysely';
import { ApiError } from '../api-error.ts';
import { isoTime } from '../lib/clock.ts';
import { shortId } from '../lib/ids.ts';
import type { Tables } from '../stores/entity-store.ts';
import type { Change } from './define-entity.ts';
import { checkNewPassword } from './new-password.ts';

interface Account {
  readonly identityId: string;
  readonly username: string;
  readonly password: string;
  readonly passwordHash: string;
  /** JSON object. Default: no tags. */
  readonly tags?: string;
}

/** @throws 409 `MAX_AUTHENTICATOR_METHODS_REACHED` when the identity already has an authenticator of method `updb` */
export async function refuseSecondPassword(db: Kysely<Tables>, identityId: string): Promise<void> {
  const existing = await db
    .selectFrom('authenticators')
    .select('id')
    .where('identityId', '=', identityId)
    .where('method', '=', 'updb')
    .executeTakeFirst();
  if (existing) throw new ApiError('MAX_AUTHENTICATOR_METHODS_REACHED');
}

/**
 * Creates the authenticator of method `updb` of an identity and returns its id. The transaction must have locked the
 * identity, because no unique index prevents a second authenticator.
 *
 * @throws 409 `MAX_AUTHENTICATOR_METHODS_REACHED` when the identity already has one, 400 when its auth policy refuses
 *   the password
 */
export async function addPassword({ call, tx }: Change, account: Account): Promise<string> {
  const { identityId, username, passwordHash, tags = '{}' } = account;
  await refuseSecondPassword(tx, identityId);
  await checkNewPassword(tx, account);
  const id = shortId();
  const now = isoTime(call.clock());
  await tx
    .insertInto('authenticators')
    .values({
      id,
      createdAt: now,
      updatedAt: now,
      tags,
      identityId,
      method: 'updb',
      username,
      passwordHash,
      failedAttempts: 0,
      pendingAttempts: 0,
      pendingSince: null,
    })
    .execute();
  return id;
}
