import { ApiError, invalidField, notFound } from '../../api-error.ts';
import type { SessionCall } from '../../call.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Tables } from '../../stores/entity-store.ts';
import { lockRow } from '../define-entity.ts';
import { checkNewPassword, hashNewPassword } from '../new-password.ts';

type AuthenticatorRow = Tables['authenticators'];

export interface CredentialChange {
  readonly row: AuthenticatorRow;
  /** Left as it is when absent or null, like `password` and `tags`. */
  readonly username?: string | null | undefined;
  readonly password?: string | null | undefined;
  /** JSON object. */
  readonly tags: string | null;
  readonly by: 'owner' | 'administrator';
  /** Whether the API sessions of the identity end, all but the one that makes the change. */
  readonly endOtherSessions: boolean;
}

/**
 * Writes a new user name, password or both. An owner has proven the password that is stored in `row`: the change is made
 * only while that one is still stored, so that one of several at once wins.
 *
 * @throws 404 or, for an owner, 401 when the row is not as it was; 400 on field `username` when that is taken, on field
 * `password` when the auth policy of the identity refuses it
 */
export async function changeCredentials(call: SessionCall, change: CredentialChange): Promise<void> {
  const { row, username, password, tags, by } = change;
  const { identityId } = row;
  const passwordHash = password ? await hashNewPassword(call, { identityId, password }) : null;
  await call.entities
    .transaction(async (tx) => {
      await lockRow({ call, tx }, 'identities', 'identity', identityId);
      if (password) await checkNewPassword(tx, { identityId, password });
      const query = tx
        .updateTable('authenticators')
        .set({
          updatedAt: isoTime(call.clock()),
          ...(username ? { username } : {}),
          ...(passwordHash === null ? {} : { passwordHash, failedAttempts: 0 }),
          ...(tags === null ? {} : { tags }),
        })
        .where('id', '=', row.id);
      const owned = by === 'owner' ? query.where('passwordHash', '=', row.passwordHash) : query;
      const { numUpdatedRows } = await owned.executeTakeFirst();
      if (numUpdatedRows !== 1n) throw by === 'owner' ? wrongCurrentPassword() : notFound('authenticator', row.id);
      if (change.endOtherSessions) {
        const which = { exceptId: call.session.stored.id };
        await call.outbox.add(tx, { kind: 'endSessions', identityId, which });
      }
    })
    .catch((error: unknown) => {
      throw call.entities.violatedUnique(error) === 'username' ? usernameTaken('username', username) : error;
    });
  if (passwordHash !== null) call.events.emit('passwordChanged', { identityId, authenticatorId: row.id, by });
  if (change.endOtherSessions) await call.outbox.drain();
}

/** `field` is named differently on creation and on change. */
export function usernameTaken(field: 'updbUsername' | 'username', username: string | null | undefined): ApiError {
  const value = username ?? '';
  return invalidField(field, `duplicate value '${value}' in unique index on authenticators store`, value);
}

/** 401 without the value that was sent; the API session stays alive. */
export function wrongCurrentPassword(): ApiError {
  return new ApiError('UNAUTHORIZED', { cause: { field: 'currentPassword', reason: 'invalid current password' } });
}
