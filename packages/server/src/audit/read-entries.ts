import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { StoredEntry } from './entry.ts';

const batchSize = 1_000;

/** All entries up to a sequence, in their order and in batches. Reads each batch when it is needed. */
export async function* readEntries(
  { db }: Pick<EntityStore, 'db'>,
  through = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<readonly StoredEntry[]> {
  for (let last = 0, isOver = false; !isOver; ) {
    const rows = await db
      .selectFrom('auditLog')
      .selectAll()
      .where('sequence', '>', last)
      .where('sequence', '<=', through)
      .orderBy('sequence')
      .limit(batchSize)
      .execute();
    last = rows.at(-1)?.sequence ?? last;
    isOver = rows.length < batchSize;
    if (rows.length > 0) yield rows;
  }
}
