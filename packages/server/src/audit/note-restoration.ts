import type { AuditEvents } from '../core/events/audit-events.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import { act } from './acts.ts';
import { entryOf } from './entry-of.ts';
import { EntryWriter } from './entry-writer.ts';

/** The backup or export that a database comes from. */
export type Restoration = AuditEvents['database.restored'];

/**
 * Adds the entry of a restoration to the log of a database that nobody uses yet.
 *
 * @param now milliseconds since 1970
 */
export async function noteRestoration(store: EntityStore, restoration: Restoration, now: number): Promise<void> {
  const entry = entryOf(act('database.restored', null, null, restoration), {}, now);
  await new EntryWriter(store).write([entry]);
}
