import type { ControllerEvents } from '../core/events/events.ts';
import type { Clock } from '../core/time/clock.ts';
import { isoTime } from '../core/time/clock.ts';
import { measureAuditLog, readAuditLogRange } from '../storage/entity-store/audit-log-size.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { AuditLog } from './audit-log.ts';
import type { CheckpointSigner } from './checkpoint.ts';
import { addCheckpoint } from './checkpoints.ts';

/** Entries that are removed in one transaction. */
const batchSize = 1_000;

interface ShortenLogOptions {
  readonly database: EntityStore;
  readonly audit: AuditLog;
  readonly signer: CheckpointSigner;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly retention: number;
  /** Bytes. */
  readonly maxSize: number;
}

type Shortened = ControllerEvents['auditLog.shortened'];

/**
 * Removes the oldest entries, as long as they are older than the retention or the log is too large. A signed anchor has the hash of the
 * last one, so that the rest of the chain can be verified. Nothing newer is removed, even when a wrong clock has given a later entry an
 * old time.
 */
export async function shortenLog(parts: ShortenLogOptions): Promise<void> {
  const { audit, database, maxSize } = parts;
  const { ofEntry } = await measureAuditLog(database.db);
  const most = Math.floor(maxSize / ofEntry);
  let through: number | null = null;
  let isTooLarge = false;
  for (let batch = await removeBatch(parts, most); batch; batch = await removeBatch(parts, most)) {
    through = batch.through;
    isTooLarge ||= batch.by === 'size';
  }
  if (through !== null) await audit.publish({}, 'auditLog.shortened', { through, by: isTooLarge ? 'size' : 'age' });
}

/** Returns what was removed last, and why. `null`: none is old enough, and there are no more than `most`. */
async function removeBatch(
  { database, signer, clock, retention }: ShortenLogOptions,
  most: number,
): Promise<Shortened | null> {
  const now = clock();
  const before = isoTime(now - retention);
  const oldest = await database.db
    .selectFrom('auditLog')
    .select(['sequence', 'createdAt', 'hash'])
    .orderBy('sequence')
    .limit(batchSize)
    .execute();
  const firstToKeep = oldest.findIndex(({ createdAt }) => createdAt >= before);
  const old = firstToKeep < 0 ? oldest.length : firstToKeep;
  // Counted anew: another controller may do the same.
  const excess = (await readAuditLogRange(database.db)).entries - most;
  const last = oldest[Math.min(Math.max(old, excess), oldest.length) - 1];
  if (!last) return null;
  const { sequence, hash } = last;
  const anchor = { kind: 'anchor', sequence, hash, time: isoTime(now) } as const;
  const jws = await signer.sign(anchor);
  await database.transaction(async (tx) => {
    await addCheckpoint(tx, anchor, jws);
    await tx.deleteFrom('auditLog').where('sequence', '<=', sequence).execute();
    await tx.deleteFrom('auditCheckpoints').where('sequence', '<', sequence).execute();
  });
  return { through: sequence, by: excess > old ? 'size' : 'age' };
}
