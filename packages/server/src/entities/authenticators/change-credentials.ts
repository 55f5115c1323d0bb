import type { EntityData } from '@edge-controller/shared-types';
import { ApiError, notFound } from '../../core/api-error.ts';
import { checkNewPassword, hashNewPassword } from '../../credentials/passwords/new-password.ts';
import type { Password } from '../../credentials/passwords/password-record.ts';
import { findPassword, setPassword } from '../../credentials/passwords/password-record.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { updateEntity } from '../../crud/write.ts';
import { lockIdentity } from '../../storage/entity-store/locks/lock-identity.ts';
import type { EntityRow, FieldsOf } from '../../storage/entity-store/tables.ts';
import type { SessionCall } from '../dependencies.ts';

export interface CredentialChange {
  /** Id of the authenticator. */
  readonly id: string;
  readonly identityId: string;
  readonly verb: 'update' | 'patch';
  readonly body: EntityData<'authenticators', 'patch'>;
  readonly by: 'owner' | 'administrator';
  /** For an owner: the hash of the password that the owner has proven. */
  readonly proven?: string;
  /** Whether the API sessions of the identity end, except the session of the caller. */
  readonly endOtherSessions: boolean;
}

export function readAuthenticator(
  { database }: SessionCall,
  id: string,
): Promise<EntityRow<FieldsOf<'authenticators'>> | undefined> {
  return database.db.selectFrom('authenticators').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Writes a new user name, a new password or both. When an owner changes them, the proven password must still be stored, so
 * that only one of several concurrent changes succeeds.
 *
 * @throws 404 when the authenticator no longer exists; 401 when the proven password is no longer stored; 400 with field
 *   `username` when the user name is taken, with field `password` when the password is refused
 */
export async function changeCredentials(call: SessionCall, change: CredentialChange): Promise<void> {
  const { id, identityId, verb, body, by, proven, endOtherSessions } = change;
  const { password, username, tags } = body;
  const hash = password
    ? await hashNewPassword(call, { identityId, password, username: username || (await usernameOf(call, id)) })
    : null;
  await inUnitOfWork(call, async (unit) => {
    if (!(await lockIdentity(unit.caller.database, unit.tx, identityId))) throw notFound('identity', identityId);
    const present = await findPassword(unit.tx, id);
    if (proven !== undefined && present?.hash !== proven) throw wrongCurrentPassword();
    if (password) await checkNewPassword(unit.tx, { identityId, password });
    await updateEntity(unit, 'authenticators', { verb, id, body: { username: username || null, tags } });
    if (hash !== null) {
      const isSetByOther = identityId !== call.session.principal.id;
      await setPassword(unit.tx, { authenticatorId: id, hash, isSetByOther });
      if (present?.isSetByOther && !isSetByOther) await endOfInitial(unit, { authenticatorId: id, identityId });
      unit.emit('password.changed', { identityId, authenticatorId: id, by });
    }
    if (endOtherSessions) {
      const which = { exceptId: call.session.stored.id };
      await unit.affect({ kind: 'endSessions', identityId, which });
    }
  });
}

/**
 * The sessions that the initial password has opened would be full from now on, also those of whoever knew it before its owner. So they
 * end, except that of the caller.
 */
async function endOfInitial(
  unit: UnitOfWork<SessionCall>,
  { identityId, authenticatorId }: Pick<Password, 'authenticatorId'> & { readonly identityId: string },
): Promise<void> {
  const { session, settings } = unit.caller;
  const which = { authenticatorId, exceptId: session.stored.id };
  await unit.affect(settings.changeInitialPasswords ? { kind: 'endSessions', identityId, which } : { kind: 'changed' });
}

async function usernameOf(call: SessionCall, id: string): Promise<string> {
  return (await readAuthenticator(call, id))?.username ?? '';
}

/** 401 without the sent value. The API session does not end. */
export function wrongCurrentPassword(): ApiError {
  return new ApiError('UNAUTHORIZED', { cause: { field: 'currentPassword', reason: 'invalid current password' } });
}
