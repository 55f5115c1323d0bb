import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { ApiError } from '../api-error.ts';
import type { Call } from '../call.ts';
import { isoTime } from '../lib/clock.ts';
import type { Tables } from '../stores/entity-store.ts';
import { hashing } from './hashing.ts';
import { isDisabled } from './identities/disabled.ts';

/** An authenticator whose password is asked for. */
export interface PasswordCandidate {
  readonly authenticatorId: string;
  readonly identityId: string;
  readonly passwordHash: string | null;
  /** Wrong passwords in a row that lock the identity; 0: they are not counted. */
  readonly maxAttempts: number;
  /** How long it is locked; 0: until an administrator enables it. */
  readonly lockoutDurationMinutes: number;
}

/** `not compared`: there is no candidate, or its identity is locked or disabled by now. */
export type PasswordVerdict = 'right' | 'wrong' | 'not compared';

/** Milliseconds after which an attempt that was never settled counts as failed: its process is gone. */
const abandonedAfter = 12_000;
/** Milliseconds that an attempt waits for others that are in flight, and how often it looks. */
const patience = 5_000;
const firstPause = 5;
const longestPause = 80;

/**
 * The one place where passwords are verified. Every call costs a hash, also without a candidate.
 *
 * Where wrong passwords are counted, each attempt is reserved durably before its hash is computed: however many come at
 * once and wherever, no more than `maxAttempts` are compared. The last of them locks the identity and ends its API
 * sessions. An attempt that no hash was computed for is given back.
 *
 * @throws 429 `SERVER_TOO_MANY_REQUESTS` when too many passwords wait, here or for this one authenticator
 */
export async function verifyPassword(
  call: Call,
  candidate: PasswordCandidate | null,
  password: string,
): Promise<PasswordVerdict> {
  const compareWithNothing = () => hashing(call.passwords.verify(null, password));
  if (candidate === null) {
    await compareWithNothing();
    return 'not compared';
  }
  const isCounted = candidate.maxAttempts > 0;
  const first = isCounted ? await tryToReserve(call, candidate) : 'reserved';
  if (first !== 'reserved') {
    // Begun before the wait: beside a name that nobody has, an attempt that had to wait must not take longer.
    const nothing = compareWithNothing();
    nothing.catch(() => undefined);
    if (first === 'closed' || !(await reserve(call, candidate))) {
      await nothing;
      return 'not compared';
    }
  }
  const isRight = await hashing(call.passwords.verify(candidate.passwordHash, password)).catch(async (error) => {
    if (isCounted) await giveBack(call, candidate);
    throw error;
  });
  if (isCounted) await (isRight ? settleRight : settleWrong)(call, candidate);
  return isRight ? 'right' : 'wrong';
}

/** Wrong passwords of an identity are forgotten: it was enabled or disabled, or has a new password. */
export async function resetFailedAttempts(tx: Transaction<Tables>, identityId: string): Promise<void> {
  await tx
    .updateTable('authenticators')
    .set({ failedAttempts: 0 })
    .where('identityId', '=', identityId)
    .where('failedAttempts', '>', 0)
    .execute();
}

/** Waits for others that are in flight. True when one attempt is reserved; false when the identity is closed. */
async function reserve(call: Call, candidate: PasswordCandidate): Promise<boolean> {
  const giveUpAt = performance.now() + patience;
  for (let pause = firstPause; performance.now() < giveUpAt; pause = Math.min(pause * 2, longestPause)) {
    await sleep(pause);
    const outcome = await tryToReserve(call, candidate);
    if (outcome !== 'busy') return outcome === 'reserved';
  }
  throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: 1 });
}

/** `closed`: the identity is locked, disabled or gone; `busy`: all attempts that it has left are in flight. */
async function tryToReserve(call: Call, candidate: PasswordCandidate): Promise<'reserved' | 'closed' | 'busy'> {
  const isReserved = await addPending(call, candidate);
  // Asked after the write, which waits for the one that locks: a reservation that follows a lock must see it.
  if (await isClosed(call, candidate)) {
    if (isReserved) await giveBack(call, candidate);
    return 'closed';
  }
  return isReserved ? 'reserved' : 'busy';
}

/** With nothing in flight one attempt is always allowed: a lowered `maxAttempts` must not shut out for good. */
async function addPending({ entities, clock }: Call, candidate: PasswordCandidate): Promise<boolean> {
  const now = clock();
  const isAbandoned = sql<boolean>`("pendingAttempts" > 0 and "pendingSince" < ${isoTime(now - abandonedAfter)})`;
  const isRoom = sql<boolean>`"failedAttempts" + "pendingAttempts" < ${candidate.maxAttempts}`;
  const { numUpdatedRows } = await entities.db
    .updateTable('authenticators')
    .set({
      failedAttempts: sql`"failedAttempts" + case when ${isAbandoned} then "pendingAttempts" else 0 end`,
      pendingAttempts: sql`case when ${isAbandoned} then 1 else "pendingAttempts" + 1 end`,
      pendingSince: isoTime(now),
    })
    .where('id', '=', candidate.authenticatorId)
    .where(sql<boolean>`(${isRoom} or "pendingAttempts" = 0 or ${isAbandoned})`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function isClosed({ entities, clock }: Call, { authenticatorId }: PasswordCandidate): Promise<boolean> {
  const identity = await entities.db
    .selectFrom('authenticators')
    .innerJoin('identities', 'identities.id', 'authenticators.identityId')
    .select(['identities.disabledAt', 'identities.disabledUntil'])
    .where('authenticators.id', '=', authenticatorId)
    .executeTakeFirst();
  return !identity || isDisabled(identity, clock());
}

const onePendingLess = sql<number>`case when "pendingAttempts" > 0 then "pendingAttempts" - 1 else 0 end`;

const giveBack = (call: Call, candidate: PasswordCandidate) => settle(call.entities.db, candidate, {});
const settleRight = (call: Call, candidate: PasswordCandidate) =>
  settle(call.entities.db, candidate, { failedAttempts: 0 });

/** Ends one attempt; the wrong passwords in a row that the authenticator has then. */
async function settle(
  db: Kysely<Tables>,
  { authenticatorId }: PasswordCandidate,
  columns: { failedAttempts?: number | typeof onePendingLess },
): Promise<number> {
  const row = await db
    .updateTable('authenticators')
    .set({ ...columns, pendingAttempts: onePendingLess })
    .where('id', '=', authenticatorId)
    .returning('failedAttempts')
    .executeTakeFirst();
  return row?.failedAttempts ?? 0;
}

async function settleWrong(call: Call, candidate: PasswordCandidate): Promise<void> {
  const { identityId, maxAttempts, lockoutDurationMinutes } = candidate;
  const now = call.clock();
  const until = lockoutDurationMinutes > 0 ? isoTime(now + lockoutDurationMinutes * 60_000) : null;
  const isLocked = await call.entities.transaction(async (tx) => {
    const query = tx.selectFrom('identities').select(['disabledAt', 'disabledUntil']).where('id', '=', identityId);
    const identity = await (call.entities.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
    if (!identity || isDisabled(identity, now)) {
      await settle(tx, candidate, {});
      return false;
    }
    const failed = await settle(tx, candidate, { failedAttempts: sql<number>`"failedAttempts" + 1` });
    if (failed < maxAttempts) return false;
    await tx
      .updateTable('identities')
      .set({ disabledAt: isoTime(now), disabledUntil: until, updatedAt: isoTime(now) })
      .where('id', '=', identityId)
      .execute();
    await resetFailedAttempts(tx, identityId);
    await call.outbox.add(tx, { kind: 'endSessions', identityId });
    return true;
  });
  if (!isLocked) return;
  call.events.emit('identityLocked', { identityId, until });
  // The lock holds already. An answer other than that of any wrong password would tell of it; the outbox tries again.
  await call.outbox.drain().catch(() => undefined);
}
