import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../api-error.ts';
import type { Call } from '../../call.ts';
import { isDisabled } from '../../entities/identities/disabled.ts';
import { verifyPassword } from '../../entities/password-attempts.ts';
import type { AuthenticationMethodHandler } from '../method.ts';

/**
 * Milliseconds; refusals leave at multiples of it. Every refusal costs a query and a hash, but counting a wrong password
 * or locking an identity costs writes on top, by which a stopwatch could tell who exists. It costs the attacker a
 * waiting socket and nobody else anything: a success is never delayed.
 */
const refusalInterval = 100;

/**
 * User name and password (specification 5.2). An unknown user, a wrong password, a locked or disabled identity and one
 * whose auth policy forbids passwords get the same answer at the same time.
 */
export const password: AuthenticationMethodHandler = async (call, body) => {
  const startedAt = performance.now();
  if (!body.username || !body.password) {
    throw new ApiError('COULD_NOT_VALIDATE', {
      cause: { code: 'UNHANDLED', message: 'username and password fields are required' },
    });
  }
  const found = await findByUsername(call, body.username);
  const obstacle = obstacleOf(found, call.clock());
  const verdict = await verifyPassword(call, obstacle === null ? found : null, body.password);
  if (!found || verdict !== 'right') {
    call.events.emit('authenticationFailed', {
      method: 'password',
      reason: obstacle ?? (verdict === 'wrong' ? 'wrong password' : 'identity disabled'),
      ipAddress: call.clientAddress,
      ...(found ? { identityId: found.identityId } : {}),
    });
    await nextRefusal(startedAt);
    throw new ApiError('INVALID_AUTH');
  }
  return {
    identityId: found.identityId,
    authenticatorId: found.authenticatorId,
    async stillHolds() {
      const now = await call.entities.db
        .selectFrom('authenticators')
        .innerJoin('identities', 'identities.id', 'authenticators.identityId')
        .select(['passwordHash', 'disabledAt', 'disabledUntil'])
        .where('authenticators.id', '=', found.authenticatorId)
        .executeTakeFirst();
      return now?.passwordHash === found.passwordHash && !isDisabled(now, call.clock());
    },
  };
};

type Found = NonNullable<Awaited<ReturnType<typeof findByUsername>>>;

/** Why the password decides nothing; `null`: it decides. */
function obstacleOf(found: Found | null, now: number): string | null {
  if (!found) return 'unknown user';
  if (isDisabled(found, now)) return 'identity disabled';
  return found.updbAllowed === 1 ? null : 'method not allowed';
}

async function findByUsername({ entities }: Call, username: string) {
  const row = await entities.db
    .selectFrom('authenticators')
    .innerJoin('identities', 'identities.id', 'authenticators.identityId')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .select([
      'authenticators.id as authenticatorId',
      'authenticators.identityId',
      'authenticators.passwordHash',
      'identities.disabledAt',
      'identities.disabledUntil',
      'authPolicies.updbAllowed',
      'authPolicies.updbMaxAttempts as maxAttempts',
      'authPolicies.updbLockoutDurationMinutes as lockoutDurationMinutes',
    ])
    .where('authenticators.username', '=', username)
    .executeTakeFirst();
  return row ?? null;
}

/** Waits until a whole number of intervals has passed since then. */
async function nextRefusal(startedAt: number): Promise<void> {
  const end = startedAt + Math.ceil((performance.now() - startedAt) / refusalInterval) * refusalInterval;
  // A timer may be early by a part of a millisecond.
  while (performance.now() < end) await sleep(Math.ceil(end - performance.now()));
}
