import { ApiError, invalidField, notFound } from '../../api-error.ts';
import type { SessionCall } from '../../call.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Tables } from '../../stores/entity-store.ts';
import { lockRow } from '../define-entity.ts';
import { checkNewPassword, hashNewPassword } from '../new-password.ts';

type AuthenticatorRow = Tables['authenticators'];

export interface CredentialChange {
  readonly row: AuthenticatorRow;
  /** Does not change when absent or null, like `password` and `tags`. */
  readonly username?: string | null | undefined;
  readonly password?: string | null | undefined;
  /** JSON object. */
  readonly tags: string | null;
  readonly by: 'owner' | 'administrator';
  /** Whether the API sessions of the identity end, except the session of the caller. */
  readonly endOtherSessions: boolean;
}

/**
 * Writes a new user name, a new password or both. For an owner, `row` has the password hash that the owner has proven.
 * The change fails if another hash has been stored since then, so that only one of several concurrent changes succeeds.
 *
 * @throws 404 when the authenticator no longer exists; for an owner 401 instead, also when another password hash is
 *   stored; 400 with field `username` when the user name is taken, with field `password` when the auth policy refuses
 *   the password
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

/** The API uses another `field` for a creation than for a change. */
export function usernameTaken(field: 'updbUsername' | 'username', username: string | null | undefined): ApiError {
  const value = username ?? '';
  return invalidField(field, `duplicate value '${value}' in unique index on authenticators store`, value);
}

/** 401 without the sent value. The API session does not end. */
export function wrongCurrentPassword(): ApiError {
  return new ApiError('UNAUTHORIZED', { cause: { field: 'currentPassword', reason: 'invalid current password' } });
}
