import { ApiError } from '../../api-error.ts';
import type { Call } from '../../call.ts';
import { isDisabled } from '../../entities/identities/disabled.ts';
import { HashQueueFull } from '../../lib/password-hash.ts';
import type { AuthenticationMethodHandler } from '../method.ts';

/**
 * User name and password (specification 5.2). An unknown user, a wrong password and a disabled identity cost one query
 * and one hash each and get the same answer.
 */
export const password: AuthenticationMethodHandler = async (call, body) => {
  if (!body.username || !body.password) {
    throw new ApiError('COULD_NOT_VALIDATE', {
      cause: { code: 'UNHANDLED', message: 'username and password fields are required' },
    });
  }
  const found = await findByUsername(call, body.username);
  const isRight = await verify(call, found?.passwordHash ?? null, body.password);
  const reason = !found
    ? 'unknown user'
    : !isRight
      ? 'wrong password'
      : isDisabled(found, call.clock())
        ? 'identity disabled'
        : null;
  if (!found || reason !== null) {
    call.events.emit('authenticationFailed', {
      method: 'password',
      reason: reason ?? '',
      ipAddress: call.clientAddress,
      ...(found ? { identityId: found.identityId } : {}),
    });
    throw new ApiError('INVALID_AUTH');
  }
  return {
    identityId: found.identityId,
    authenticatorId: found.id,
    async stillHolds() {
      const now = await findByUsername(call, found.username ?? '');
      return now?.id === found.id && now.passwordHash === found.passwordHash && !isDisabled(now, call.clock());
    },
  };
};

function findByUsername({ entities }: Call, username: string) {
  return entities.db
    .selectFrom('authenticators')
    .innerJoin('identities', 'identities.id', 'authenticators.identityId')
    .select([
      'authenticators.id',
      'authenticators.identityId',
      'authenticators.username',
      'authenticators.passwordHash',
      'identities.disabledAt',
      'identities.disabledUntil',
    ])
    .where('authenticators.username', '=', username)
    .executeTakeFirst();
}

async function verify({ passwords }: Call, hash: string | null, given: string): Promise<boolean> {
  try {
    return await passwords.verify(hash, given);
  } catch (error) {
    if (error instanceof HashQueueFull) {
      throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: 1, origin: error });
    }
    throw error;
  }
}
