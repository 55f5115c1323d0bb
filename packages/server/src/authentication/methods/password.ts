import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../api-error.ts';
import type { Call } from '../../call.ts';
import { policyColumns, readAuthPolicy } from '../../lib/auth-policy.ts';
import { isDisabled } from '../../lib/is-disabled.ts';
import { verifyPassword } from '../../passwords/password-attempts.ts';
import { passwordHash } from '../../passwords/password-record.ts';
import type { AuthenticationMethodHandler } from '../method.ts';

/**
 * Milliseconds. A refusal is sent when the time since the start is a multiple of this. Every refusal needs a query and
 * a hash, but a wrong password is also counted and may lock the identity. Without this wait, the response time could
 * reveal which users exist. A success is not delayed.
 */
const refusalInterval = 100;

/**
 * User name and password (specification 5.2). An unknown user, a wrong password, a locked or disabled identity and one
 * whose auth policy forbids passwords get the same response, at a multiple of `refusalInterval`.
 */
export const password: AuthenticationMethodHandler = async (call, body) => {
  const startedAt = performance.now();
  if (!body.username || !body.password) {
    throw new ApiError('COULD_NOT_VALIDATE', {
      cause: { code: 'UNHANDLED', message: 'username and password fields are required' },
    });
  }
  const found = await findByUsername(call, body.username);
  const refusal = refusalReasonOf(found, call.clock());
  const verdict = await verifyPassword(call, refusal === null ? found : null, body.password);
  if (!found || verdict !== 'right') {
    call.events.emit('authenticationFailed', {
      method: 'password',
      reason: refusal ?? (verdict === 'wrong' ? 'wrong password' : 'identity disabled'),
      ipAddress: call.clientAddress,
      ...(found ? { identityId: found.identityId } : {}),
    });
    await waitForRefusal(startedAt);
    throw new ApiError('INVALID_AUTH');
  }
  return {
    identityId: found.identityId,
    authenticatorId: found.authenticatorId,
    async isStillValid() {
      const now = await call.entities.db
        .selectFrom('authenticators')
        .innerJoin('identities', 'identities.id', 'authenticators.identityId')
        .select(['disabledAt', 'disabledUntil', passwordHash.as('passwordHash')])
        .where('authenticators.id', '=', found.authenticatorId)
        .executeTakeFirst();
      return now?.passwordHash === found.passwordHash && !isDisabled(now, call.clock());
    },
  };
};

type Found = NonNullable<Awaited<ReturnType<typeof findByUsername>>>;

/** Returns why sign-in is refused whatever the password is. `null`: the password decides. */
function refusalReasonOf(found: Found | null, now: number): string | null {
  if (!found) return 'unknown user';
  if (isDisabled(found, now)) return 'identity disabled';
  return found.allowed ? null : 'method not allowed';
}

async function findByUsername({ entities }: Call, username: string) {
  const row = await entities.db
    .selectFrom('authenticators')
    .innerJoin('identities', 'identities.id', 'authenticators.identityId')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .select([
      'authenticators.id as authenticatorId',
      'authenticators.identityId',
      passwordHash.as('passwordHash'),
      'identities.disabledAt',
      'identities.disabledUntil',
    ])
    .select(policyColumns)
    .where('authenticators.username', '=', username)
    .executeTakeFirst();
  if (!row) return null;
  const { primary, secondary, ...found } = row;
  return { ...found, ...readAuthPolicy({ primary, secondary }).primary.updb };
}

/** Waits until the time since `startedAt` is a multiple of `refusalInterval`. */
async function waitForRefusal(startedAt: number): Promise<void> {
  const end = startedAt + Math.ceil((performance.now() - startedAt) / refusalInterval) * refusalInterval;
  // A timer may fire a part of a millisecond too early.
  while (performance.now() < end) await sleep(Math.ceil(end - performance.now()));
}
