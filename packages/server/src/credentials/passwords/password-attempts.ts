import { sql } from 'kysely';
import { ApiError } from '../../core/api-error.ts';
import type { PasswordHasher } from '../../core/secrets/password-hash.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { setFields } from '../../crud/write.ts';
import { boundLock } from '../sign-in-rules/administrators.ts';
import { isDisabled } from '../sign-in-rules/is-disabled.ts';
import { awaitHash } from './await-hash.ts';
import { lockDummy, writeDummy } from './dummies.ts';
import type { Delay, DelayCaller } from './password-delays.ts';
import { countFailure, forgetFailures } from './password-delays.ts';
import { countWrongPassword, resetFailedAttempts } from './password-record.ts';

interface AttemptCaller extends DelayCaller {
  readonly passwords: Pick<PasswordHasher, 'verify'>;
}

export interface PasswordAccount {
  readonly authenticatorId: string;
  readonly identityId: string;
  readonly passwordHash: string | null;
  /** The number of wrong passwords in a row that locks the identity. 0: wrong passwords are not counted. */
  readonly maxAttempts: number;
  /** How long the identity is locked. 0: until an administrator enables it. */
  readonly lockoutDurationMinutes: number;
}

export interface PasswordAttempt {
  readonly username: string;
  /** `null`: there is no such user, or sign-in is refused whatever the password is. */
  readonly account: PasswordAccount | null;
  readonly password: string;
  /** What `readDelay` returned together with the account. */
  readonly delay: Delay;
}

type Verdict = PasswordResult['verdict'];

export interface PasswordResult {
  /**
   * `not compared`: there is no account, or its identity is locked, disabled or deleted meanwhile. `too soon`: too many wrong
   * passwords came before it, so nobody learns what it was.
   */
  readonly verdict: 'right' | 'wrong' | 'not compared' | 'too soon';
  /** When the hash was computed, in milliseconds of `performance.now()`. The attempt was recorded afterwards. */
  readonly comparedAt: number;
}

/**
 * Verifies a password. All code that verifies passwords uses this function.
 *
 * After `edge.passwords.attempts` wrong passwords for a user name, an attempt must wait, and waits longer after each further
 * one. Before that time it is refused without a hash. A right password that needs no record may have been overtaken by wrong
 * ones: the caller reads the delay again before anybody learns that it is right.
 *
 * Every attempt that is refused does the same work, so that the response time does not reveal which users exist: it
 * computes a hash, then counts the user name, and locks and writes one row in the same transaction. That row is the password of
 * the account if its wrong passwords can lock it. Otherwise, also for an unknown user, it is a dummy.
 *
 * Nobody learns a verdict before its attempt is recorded, and no verdict is given while the identity is locked. So at
 * most `maxAttempts` wrong passwords in a row are compared, even with parallel requests on several replicas or when the
 * process ends in between. The last of them locks the identity and ends its API sessions.
 *
 * @throws 429 `SERVER_TOO_MANY_REQUESTS` when too many passwords are waiting for their hash. The attempt is not counted.
 */
export async function verifyPassword(caller: AttemptCaller, attempt: PasswordAttempt): Promise<PasswordResult> {
  const { account, password, delay } = attempt;
  if (delay.wait > 0) return { verdict: 'too soon', comparedAt: performance.now() };
  const isRight = await awaitHash(caller.passwords.verify(account?.passwordHash ?? null, password));
  const comparedAt = performance.now();
  if (isRight && !isCounted(account) && delay.failures === 0) return { verdict: 'right', comparedAt };
  const verdict = await inUnitOfWork(caller, (unit) => record(unit, attempt, isRight), {
    isOwn: true,
    // An error of the session store would reveal the lock to the client, and the outbox tries again.
    onUndrained: () => undefined,
  });
  return { verdict, comparedAt };
}

/** 429 for an attempt that came too soon. It is the same for unknown users. */
export function tooSoon({ wait }: Delay): ApiError {
  return new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: Math.max(1, Math.ceil(wait / 1_000)) });
}

function isCounted(account: PasswordAccount | null): account is PasswordAccount {
  return account !== null && account.passwordHash !== null && account.maxAttempts > 0;
}

async function record(unit: UnitOfWork<AttemptCaller>, attempt: PasswordAttempt, isRight: boolean): Promise<Verdict> {
  const { username, account, delay } = attempt;
  const { tx, caller } = unit;
  if (!isCounted(account)) {
    if (isRight) return (await forgetFailures(tx, caller, delay)) ? 'right' : 'too soon';
    await lockDummy(unit, username);
    const isInTime = await countFailure(tx, caller, delay);
    await writeDummy(unit, username);
    if (!isInTime) return 'too soon';
    return account ? 'wrong' : 'not compared';
  }
  const isEnabled = await lockEnabledIdentity(unit, account.identityId);
  const write = isEnabled && isRight ? forgetFailures : countFailure;
  if (!(await write(tx, caller, delay))) return 'too soon';
  if (!isEnabled) {
    await writeDummy(unit, username);
    return 'not compared';
  }
  if (isRight) {
    await resetFailedAttempts(tx, account.identityId);
    return 'right';
  }
  const failed = await countWrongPassword(tx, account.authenticatorId);
  if (failed >= account.maxAttempts) await lockOut(unit, account);
  return 'wrong';
}

/** Locks the row of an identity, before any other row of it. Returns false when it is locked out, disabled or deleted. */
async function lockEnabledIdentity({ tx, caller }: UnitOfWork, identityId: string): Promise<boolean> {
  const { rows } = await sql<{ disabledAt: string | null; disabledUntil: string | null }>`
    select "disabledAt", "disabledUntil" from "identities"
    where "id" = ${identityId} ${caller.database.sql.forUpdate}`.execute(tx);
  return rows[0] !== undefined && !isDisabled(rows[0], caller.clock());
}

async function lockOut(unit: UnitOfWork, { identityId, lockoutDurationMinutes }: PasswordAccount): Promise<void> {
  const now = unit.caller.clock();
  const wanted = lockoutDurationMinutes > 0 ? isoTime(now + lockoutDurationMinutes * 60_000) : null;
  const until = await boundLock(unit.tx, { identityId, until: wanted, now });
  await setFields(unit, 'identities', identityId, () => ({ disabledAt: isoTime(now), disabledUntil: until }));
  await resetFailedAttempts(unit.tx, identityId);
  await unit.affect({ kind: 'endSessions', identityId });
  unit.emit('identity.locked', { identityId, until });
}
