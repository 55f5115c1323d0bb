import type { EntityStore } from '../entity-store/entity-store.ts';
import type { Clock } from '../lib/clock.ts';
import { isoTime } from '../lib/clock.ts';
import type { AuditLog } from './audit-log.ts';
import type { CheckpointSigner } from './checkpoint.ts';
import { addCheckpoint } from './checkpoints.ts';

/** Entries that are removed in one transaction. */
const batchSize = 1_000;

interface Parts {
  readonly entities: EntityStore;
  readonly audit: AuditLog;
  readonly signer: CheckpointSigner;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly retention: number;
}

/**
 * Removes the oldest entries, as long as they are older than the retention. A signed anchor has the hash of the last one, so that the
 * rest of the chain can be verified. Nothing newer is removed, even when a wrong clock has given a later entry an old time.
 */
export async function shortenLog(parts: Parts): Promise<void> {
  let through: number | null = null;
  for (let found = await removeBatch(parts); found; found = await removeBatch(parts)) through = found;
  if (through !== null) await parts.audit.publish({}, 'auditLogShortened', { through });
}

/** Returns the sequence of the last entry that was removed, or `null` when none is old enough. */
async function removeBatch({ entities, signer, clock, retention }: Parts): Promise<number | null> {
  const now = clock();
  const before = isoTime(now - retention);
  const oldest = await entities.db
    .selectFrom('auditLog')
    .select(['sequence', 'createdAt', 'hash'])
    .orderBy('sequence')
    .limit(batchSize)
    .execute();
  const firstToKeep = oldest.findIndex(({ createdAt }) => createdAt >= before);
  const last = (firstToKeep < 0 ? oldest : oldest.slice(0, firstToKeep)).at(-1);
  if (!last) return null;
  const { sequence, hash } = last;
  const anchor = { kind: 'anchor', sequence, hash, time: isoTime(now) } as const;
  const jws = await signer.sign(anchor);
  await entities.transaction(async (tx) => {
    await addCheckpoint(tx, anchor, jws);
    await tx.deleteFrom('auditLog').where('sequence', '<=', sequence).execute();
    await tx.deleteFrom('auditCheckpoints').where('sequence', '<', sequence).execute();
  });
  return sequence;
}
