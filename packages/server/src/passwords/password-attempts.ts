import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { ApiError } from '../api-error.ts';
import type { Call } from '../call.ts';
import type { UnitOfWork } from '../crud/unit-of-work.ts';
import { inUnitOfWork } from '../crud/unit-of-work.ts';
import { setFields } from '../crud/write.ts';
import { isoTime } from '../lib/clock.ts';
import { isDisabled } from '../lib/is-disabled.ts';
import type { Tables } from '../stores/entity-store.ts';
import { lockIdentity } from '../stores/lock-identity.ts';
import { awaitHash } from './await-hash.ts';
import { resetFailedAttempts } from './password-record.ts';

/** An authenticator whose password is verified. */
export interface PasswordCandidate {
  readonly authenticatorId: string;
  readonly identityId: string;
  readonly passwordHash: string | null;
  /** The number of wrong passwords in a row that locks the identity. 0: wrong passwords are not counted. */
  readonly maxAttempts: number;
  /** How long the identity is locked. 0: until an administrator enables it. */
  readonly lockoutDurationMinutes: number;
}

/** `not compared`: there is no candidate, or its identity is locked, disabled or deleted meanwhile. */
export type PasswordVerdict = 'right' | 'wrong' | 'not compared';

/** Milliseconds after which a pending attempt counts as failed, because its process must have ended. */
const abandonedAfter = 12_000;
/** Milliseconds that an attempt waits for other pending attempts, and the delays between two tries. */
const maxWait = 5_000;
const minDelay = 5;
const maxDelay = 80;

/**
 * Verifies a password. All code that verifies passwords uses this function. Every call computes a hash, also without a
 * candidate, so that the response time does not reveal whether a user exists.
 *
 * When wrong passwords are counted, each attempt is stored in the database before its hash is computed. Therefore at
 * most `maxAttempts` passwords are compared, even with parallel requests on several replicas. The last wrong attempt
 * locks the identity and ends its API sessions. An attempt whose hash could not be computed is released.
 *
 * @throws 429 `SERVER_TOO_MANY_REQUESTS` when too many passwords are waiting, in this process or for this authenticator
 */
export async function verifyPassword(
  call: Call,
  candidate: PasswordCandidate | null,
  password: string,
): Promise<PasswordVerdict> {
  const hashOnly = () => awaitHash(call.passwords.verify(null, password));
  if (candidate === null) {
    await hashOnly();
    return 'not compared';
  }
  const isCounted = candidate.maxAttempts > 0;
  const first = isCounted ? await tryToReserve(call, candidate) : 'reserved';
  if (first !== 'reserved') {
    // The hash starts before the wait, so that this response takes no longer than the response for an unknown user.
    const dummyHash = hashOnly();
    dummyHash.catch(() => undefined);
    if (first === 'unavailable' || !(await waitAndReserve(call, candidate))) {
      await dummyHash;
      return 'not compared';
    }
  }
  const isRight = await awaitHash(call.passwords.verify(candidate.passwordHash, password)).catch(async (error) => {
    if (isCounted) await releaseAttempt(call, candidate);
    throw error;
  });
  if (isCounted) await (isRight ? recordRight : recordWrong)(call, candidate);
  return isRight ? 'right' : 'wrong';
}

/** Waits for other pending attempts. True when the attempt is reserved, false when the identity is unavailable. */
async function waitAndReserve(call: Call, candidate: PasswordCandidate): Promise<boolean> {
  const end = performance.now() + maxWait;
  for (let delay = minDelay; performance.now() < end; delay = Math.min(delay * 2, maxDelay)) {
    await sleep(delay);
    const outcome = await tryToReserve(call, candidate);
    if (outcome !== 'busy') return outcome === 'reserved';
  }
  throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: 1 });
}

/** `unavailable`: the identity is locked, disabled or deleted. `busy`: all remaining attempts are pending. */
async function tryToReserve(call: Call, candidate: PasswordCandidate): Promise<'reserved' | 'unavailable' | 'busy'> {
  const isReserved = await addPending(call, candidate);
  // Checked after the write. The write waits for a transaction that locks the identity, so this check sees the lock.
  if (await isUnavailable(call.entities.db, call.clock(), candidate)) {
    if (isReserved) await releaseAttempt(call, candidate);
    return 'unavailable';
  }
  return isReserved ? 'reserved' : 'busy';
}

/** Without pending attempts, one is always allowed: a lowered `maxAttempts` must not block the identity forever. */
async function addPending({ entities, clock }: Call, candidate: PasswordCandidate): Promise<boolean> {
  const now = clock();
  const isAbandoned = sql<boolean>`("pendingAttempts" > 0 and "pendingSince" < ${isoTime(now - abandonedAfter)})`;
  const isBelowLimit = sql<boolean>`"failedAttempts" + "pendingAttempts" < ${candidate.maxAttempts}`;
  const { numUpdatedRows } = await entities.db
    .updateTable('passwords')
    .set({
      failedAttempts: sql`"failedAttempts" + case when ${isAbandoned} then "pendingAttempts" else 0 end`,
      pendingAttempts: sql`case when ${isAbandoned} then 1 else "pendingAttempts" + 1 end`,
      pendingSince: isoTime(now),
    })
    .where('authenticatorId', '=', candidate.authenticatorId)
    .where(sql<boolean>`(${isBelowLimit} or "pendingAttempts" = 0 or ${isAbandoned})`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function isUnavailable(
  db: Kysely<Tables>,
  now: number,
  { authenticatorId }: PasswordCandidate,
): Promise<boolean> {
  const identity = await db
    .selectFrom('authenticators')
    .innerJoin('identities', 'identities.id', 'authenticators.identityId')
    .select(['identities.disabledAt', 'identities.disabledUntil'])
    .where('authenticators.id', '=', authenticatorId)
    .executeTakeFirst();
  return !identity || isDisabled(identity, now);
}

const pendingMinusOne = sql<number>`case when "pendingAttempts" > 0 then "pendingAttempts" - 1 else 0 end`;

const releaseAttempt = (call: Call, candidate: PasswordCandidate) => endAttempt(call.entities.db, candidate, {});
const recordRight = (call: Call, candidate: PasswordCandidate) =>
  endAttempt(call.entities.db, candidate, { failedAttempts: 0 });

/** Ends one pending attempt. Returns the number of wrong passwords in a row. */
async function endAttempt(
  db: Kysely<Tables>,
  { authenticatorId }: PasswordCandidate,
  columns: { failedAttempts?: number | typeof pendingMinusOne },
): Promise<number> {
  const row = await db
    .updateTable('passwords')
    .set({ ...columns, pendingAttempts: pendingMinusOne })
    .where('authenticatorId', '=', authenticatorId)
    .returning('failedAttempts')
    .executeTakeFirst();
  return row?.failedAttempts ?? 0;
}

async function recordWrong(call: Call, candidate: PasswordCandidate): Promise<void> {
  const { lockoutDurationMinutes } = candidate;
  const until = lockoutDurationMinutes > 0 ? isoTime(call.clock() + lockoutDurationMinutes * 60_000) : null;
  // An error of the session store would reveal the lock to the client, and the outbox tries again.
  await inUnitOfWork(call, (unit) => countWrong(unit, candidate, until), { isOwn: true, onUndrained: ignore });
}

/** Counts a wrong password. The last one locks the identity. */
async function countWrong(unit: UnitOfWork, candidate: PasswordCandidate, until: string | null): Promise<void> {
  const { tx, caller } = unit;
  const { identityId, maxAttempts } = candidate;
  const now = caller.clock();
  const isThere = await lockIdentity(caller.entities, tx, identityId);
  if (!isThere || (await isUnavailable(tx, now, candidate))) {
    await endAttempt(tx, candidate, {});
    return;
  }
  const failed = await endAttempt(tx, candidate, { failedAttempts: sql<number>`"failedAttempts" + 1` });
  if (failed < maxAttempts) return;
  await setFields(unit, 'identities', identityId, () => ({ disabledAt: isoTime(now), disabledUntil: until }));
  await resetFailedAttempts(tx, identityId);
  await unit.affect({ kind: 'endSessions', identityId });
  unit.emit('identityLocked', { identityId, until });
}

const ignore = () => undefined;
