import type { ControllerEvents } from '../core/events/events.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import { actOf, entryOf } from './entry-of.ts';
import { EntryWriter } from './entry-writer.ts';

/** The backup or export that a database comes from. */
export type Restoration = ControllerEvents['database.restored'];

/**
 * Adds the entry of a restoration to the log of a database that nobody uses yet.
 *
 * @param now milliseconds since 1970
 */
export async function recordRestoration(store: EntityStore, restoration: Restoration, now: number): Promise<void> {
  const act = actOf({ name: 'database.restored', payload: restoration }, null);
  if (act) await new EntryWriter(store).write([entryOf(act, {}, now)]);
}
