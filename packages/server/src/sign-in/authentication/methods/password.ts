import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../core/api-error.ts';
import { awaitHash } from '../../../credentials/passwords/await-hash.ts';
import { rememberAddress } from '../../../credentials/passwords/known-addresses.ts';
import { tooSoon, verifyPassword } from '../../../credentials/passwords/password-attempts.ts';
import { delayColumns, delayKeys, readDelay } from '../../../credentials/passwords/password-delays.ts';
import { passwordHash } from '../../../credentials/passwords/password-record.ts';
import { renewHash } from '../../../credentials/passwords/renew-hash.ts';
import { policyColumns, readAuthPolicy } from '../../../credentials/sign-in-rules/auth-policy.ts';
import { isDisabled } from '../../../credentials/sign-in-rules/is-disabled.ts';
import type { AuthenticationCall } from '../dependencies.ts';
import type { AuthenticationMethodHandler } from '../method.ts';

/** Milliseconds. A refusal is sent when the time since the start is a multiple of this. A success is not delayed. */
const refusalInterval = 100;
/**
 * Milliseconds in which every refusal can record its attempt. The attempt that locks an identity records more than the
 * others. With this time, both are sent at the same moment after the hash.
 */
const recordingTime = 50;

/**
 * User name and password. An unknown user, a wrong password, a locked or disabled identity and one
 * whose auth policy forbids passwords get the same response after the same work, at a multiple of `refusalInterval`.
 */
export const password: AuthenticationMethodHandler = async (call, body) => {
  const startedAt = performance.now();
  if (!body.username || !body.password) {
    throw new ApiError('COULD_NOT_VALIDATE', {
      cause: { code: 'UNHANDLED', message: 'username and password fields are required' },
    });
  }
  const { username, password: sent } = body;
  const keys = delayKeys(call, username);
  const { found, row } = await findByUsername(call, { username, keys });
  const refusal = refusalReasonOf(found, call.clock());
  const delay = readDelay(call, keys, row);
  const account = refusal === null ? found : null;
  const { verdict, comparedAt } = await verifyPassword(call, { username, account, password: sent, delay });
  if (!found || verdict !== 'right') {
    await call.audit.publish(call, 'authentication.failed', {
      method: 'password',
      reason: refusal ?? reasons[verdict],
      ipAddress: call.clientAddress,
      ...(found ? { identityId: found.identityId } : {}),
    });
    await waitForRefusal(startedAt, comparedAt);
    throw verdict === 'too soon' ? tooSoon(delay) : new ApiError('INVALID_AUTH');
  }
  return {
    identityId: found.identityId,
    authenticatorId: found.authenticatorId,
    policy: found.policy,
    async isStillValid() {
      const now = await call.database.db
        .selectFrom('authenticators')
        .innerJoin('identities', 'identities.id', 'authenticators.identityId')
        .select(['disabledAt', 'disabledUntil', passwordHash.as('passwordHash'), ...delayColumns(keys)])
        .where('authenticators.id', '=', found.authenticatorId)
        .executeTakeFirst();
      if (!now?.passwordHash || isDisabled(now, call.clock())) return false;
      // Another sign-in may have hashed the same password again.
      const isSame =
        now.passwordHash === found.passwordHash || (await awaitHash(call.passwords.verify(now.passwordHash, sent)));
      // Wrong passwords that came at the same time may have used up the attempts.
      if (!isSame || readDelay(call, keys, now).wait > 0) return false;
      await rememberAddress(call, keys, now);
      await renewHash(call, { ...found, password: sent, passwordHash: now.passwordHash });
      return true;
    },
  };
};

/** Why a sign-in is refused, for operators. */
const reasons = {
  right: 'unknown user',
  wrong: 'wrong password',
  'not compared': 'identity disabled',
  'too soon': 'too many wrong passwords',
} as const;

type Found = NonNullable<Awaited<ReturnType<typeof findByUsername>>['found']>;

/** Returns why sign-in is refused whatever the password is. `null`: the password decides. */
function refusalReasonOf(found: Found | null, now: number): string | null {
  if (!found) return 'unknown user';
  if (isDisabled(found, now)) return 'identity disabled';
  return found.allowed ? null : 'method not allowed';
}

/** For an unknown user it reads and parses the row of another user: a missing row would take less time. */
async function findByUsername(
  { database }: AuthenticationCall,
  { username, keys }: { readonly username: string; readonly keys: ReturnType<typeof delayKeys> },
) {
  const row = await database.db
    .selectFrom('authenticators')
    .innerJoin('identities', 'identities.id', 'authenticators.identityId')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .select([
      'authenticators.id as authenticatorId',
      'authenticators.identityId',
      'authenticators.username',
      passwordHash.as('passwordHash'),
      'identities.disabledAt',
      'identities.disabledUntil',
    ])
    .select(policyColumns)
    .select(delayColumns(keys))
    .where('authenticators.id', '=', ({ fn, selectFrom }) =>
      fn.coalesce(
        selectFrom('authenticators').select('id').where('username', '=', username),
        selectFrom('authenticators').select(fn.min('id').as('id')),
      ),
    )
    .executeTakeFirst();
  if (!row) return { found: null, row };
  const { primary, secondary, ...user } = row;
  const policy = readAuthPolicy({ primary, secondary });
  const found = { ...user, ...policy.primary.updb, policy };
  return { found: found.username === username ? found : null, row };
}

/** Waits until the time since `startedAt` is a multiple of `refusalInterval`, the next one after `recordingTime`. */
async function waitForRefusal(startedAt: number, comparedAt: number): Promise<void> {
  const recordedAt = Math.max(comparedAt + recordingTime, performance.now());
  const end = startedAt + Math.ceil((recordedAt - startedAt) / refusalInterval) * refusalInterval;
  // A timer may fire a part of a millisecond too early.
  while (performance.now() < end) await sleep(Math.ceil(end - performance.now()));
}
