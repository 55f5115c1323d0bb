import { sql } from 'kysely';
import type { Caller } from '../crud/services.ts';
import type { UnitOfWork } from '../crud/unit-of-work.ts';
import { inUnitOfWork } from '../crud/unit-of-work.ts';
import { setFields } from '../crud/write.ts';
import { isoTime } from '../lib/clock.ts';
import type { PasswordHasher } from '../lib/password-hash.ts';
import { boundLock } from '../sign-in-rules/administrators.ts';
import { isDisabled } from '../sign-in-rules/is-disabled.ts';
import { awaitHash } from './await-hash.ts';
import { lockDecoy, writeDecoy } from './decoys.ts';
import { countWrongPassword, resetFailedAttempts } from './password-record.ts';

/** An account whose password is verified. */
interface AttemptCaller extends Caller {
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
}

export interface PasswordResult {
  /** `not compared`: there is no account, or its identity is locked, disabled or deleted meanwhile. */
  readonly verdict: 'right' | 'wrong' | 'not compared';
  /** When the hash was computed, in milliseconds of `performance.now()`. The attempt was recorded afterwards. */
  readonly comparedAt: number;
}

/**
 * Verifies a password. All code that verifies passwords uses this function.
 *
 * Every attempt that is refused does the same work, so that the response time does not reveal which users exist: it
 * computes a hash, then locks and writes one row in a transaction. That row is the password of the account if wrong
 * passwords are counted. Otherwise, also for an unknown user, it is a decoy.
 *
 * Nobody learns a verdict before its attempt is recorded, and no verdict is given while the identity is locked. So at
 * most `maxAttempts` wrong passwords in a row are compared, even with parallel requests on several replicas or when the
 * process ends in between. The last of them locks the identity and ends its API sessions.
 *
 * @throws 429 `SERVER_TOO_MANY_REQUESTS` when too many passwords are waiting for their hash. The attempt is not counted.
 */
export async function verifyPassword(caller: AttemptCaller, attempt: PasswordAttempt): Promise<PasswordResult> {
  const { account, password } = attempt;
  const isRight = await awaitHash(caller.passwords.verify(account?.passwordHash ?? null, password));
  const comparedAt = performance.now();
  if (isRight && !isCounted(account)) return { verdict: 'right', comparedAt };
  const verdict = await inUnitOfWork(caller, (unit) => record(unit, attempt, isRight), {
    isOwn: true,
    // An error of the session store would reveal the lock to the client, and the outbox tries again.
    onUndrained: () => undefined,
  });
  return { verdict, comparedAt };
}

function isCounted(account: PasswordAccount | null): account is PasswordAccount {
  return account !== null && account.passwordHash !== null && account.maxAttempts > 0;
}

async function record(
  unit: UnitOfWork,
  { username, account }: PasswordAttempt,
  isRight: boolean,
): Promise<PasswordResult['verdict']> {
  if (!isCounted(account)) {
    await lockDecoy(unit, username);
    await writeDecoy(unit, username);
    return account ? 'wrong' : 'not compared';
  }
  if (!(await lockEnabledIdentity(unit, account.identityId))) {
    await writeDecoy(unit, username);
    return 'not compared';
  }
  if (isRight) {
    await resetFailedAttempts(unit.tx, account.identityId);
    return 'right';
  }
  const failed = await countWrongPassword(unit.tx, account.authenticatorId);
  if (failed >= account.maxAttempts) await lockOut(unit, account);
  return 'wrong';
}

/** Locks the row of an identity, before any other row of it. Returns false when it is locked out, disabled or deleted. */
async function lockEnabledIdentity({ tx, caller }: UnitOfWork, identityId: string): Promise<boolean> {
  const { rows } = await sql<{ disabledAt: string | null; disabledUntil: string | null }>`
    select "disabledAt", "disabledUntil" from "identities"
    where "id" = ${identityId} ${caller.entities.sql.forUpdate}`.execute(tx);
  return rows[0] !== undefined && !isDisabled(rows[0], caller.clock());
}

async function lockOut(unit: UnitOfWork, { identityId, lockoutDurationMinutes }: PasswordAccount): Promise<void> {
  const now = unit.caller.clock();
  const wanted = lockoutDurationMinutes > 0 ? isoTime(now + lockoutDurationMinutes * 60_000) : null;
  const until = await boundLock(unit.tx, { identityId, until: wanted, now });
  await setFields(unit, 'identities', identityId, () => ({ disabledAt: isoTime(now), disabledUntil: until }));
  await resetFailedAttempts(unit.tx, identityId);
  await unit.affect({ kind: 'endSessions', identityId });
  unit.emit('identityLocked', { identityId, until });
}
