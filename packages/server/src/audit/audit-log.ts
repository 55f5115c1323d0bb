import type { Transaction } from 'kysely';
import type { EventBus } from '../core/events/bus.ts';
import type { ControllerEvent, ControllerEvents, EventName } from '../core/events/events.ts';
import type { Clock } from '../core/time/clock.ts';
import type { EntityStore, Tables } from '../storage/entity-store/entity-store.ts';
import type { NewEntry } from './entry.ts';
import type { Actor } from './entry-of.ts';
import { actOf, entryOf } from './entry-of.ts';
import { EntryQueue } from './entry-queue.ts';
import { EntryWriter } from './entry-writer.ts';
import { Repeats } from './repeats.ts';
import type { AuditSource } from './source-of.ts';
import { sourceOf } from './source-of.ts';

interface AuditLogOptions {
  readonly database: EntityStore;
  readonly events: EventBus;
  readonly clock: Clock;
  /** False: nothing is written but that controllers start and stop. */
  readonly isEnabled: boolean;
}

const always: ReadonlySet<EventName> = new Set(['controller.started', 'controller.stopped', 'auditLog.shortened']);

/** Entries of `flush` that wait while the database cannot be reached. */
const maxLate = 10_000;

interface Found {
  readonly entry: NewEntry;
  /** Who may repeat it at any rate. `null`: nobody. */
  readonly source: AuditSource | null;
}

/**
 * The audit log: a chain of entries, in which each has the hash of the one before. Events become entries. An event of a change
 * has its entry in the transaction of the change. Any other one is written before `publish` resolves, so before the response. Of acts
 * that somebody without rights can repeat at any rate, the first is written, and `flush` writes the number of the others.
 */
export class AuditLog {
  readonly #parts: AuditLogOptions;
  readonly #writer: EntryWriter;
  readonly #queue: EntryQueue;
  readonly #repeats = new Repeats();
  /** Entries of `flush` that could not be written. */
  #late: readonly NewEntry[] = [];

  constructor(parts: AuditLogOptions) {
    this.#parts = parts;
    this.#writer = new EntryWriter(parts.database);
    this.#queue = new EntryQueue(this.#writer);
  }

  /** Writes the entries of events in a transaction. They must be its last statements; see `EntryWriter`. */
  async append(tx: Transaction<Tables>, actor: Actor, events: readonly ControllerEvent[]): Promise<void> {
    const entries = events.flatMap((event) => this.#entryOf(event, actor)?.entry ?? []);
    if (entries.length > 0) await this.#writer.append(tx, entries);
  }

  /** Takes the lock of `append` for what must not be written twice; see `EntryWriter`. */
  lock(tx: Transaction<Tables>): Promise<void> {
    return this.#writer.lock(tx);
  }

  /**
   * Writes the entry of an event that no transaction has, then emits the event.
   *
   * @throws ApiError `STORE_UNAVAILABLE` when the entry cannot be written. Then nobody may learn that the act was done.
   */
  async publish<N extends EventName>(actor: Actor, name: N, payload: ControllerEvents[N]): Promise<void> {
    await this.write(actor, { name, payload } as ControllerEvent);
    this.#parts.events.emit(name, payload);
  }

  /** As `publish`, but does not emit the event. */
  async write(actor: Actor, event: ControllerEvent): Promise<void> {
    const found = this.#entryOf(event, actor);
    if (!found) return;
    const { entry, source } = found;
    await this.#queue.write(entry).catch((error: unknown) => {
      // The next one like it is the first again.
      if (source !== null) this.#repeats.forget(entry, source);
      throw error;
    });
  }

  /** Writes how often acts were repeated. Those that cannot be written now are written the next time. */
  async flush(): Promise<void> {
    const entries = [...this.#late, ...this.#repeats.take()].slice(-maxLate);
    const written = await Promise.allSettled(entries.map((entry) => this.#queue.write(entry)));
    this.#late = entries.filter((_, at) => written[at]?.status === 'rejected');
    const failed = written.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** Entries that are not written yet, and the seconds for which the first of them has waited. */
  load(): { readonly waiting: number; readonly lag: number } {
    return this.#queue.load();
  }

  /** `null`: there is nothing to write, or it was counted. */
  #entryOf(event: ControllerEvent, actor: Actor): Found | null {
    const { isEnabled, clock } = this.#parts;
    if (!isEnabled && !always.has(event.name)) return null;
    const act = actOf(event, actor.session?.principal.id ?? null);
    if (!act) return null;
    const entry = entryOf(act, actor, clock());
    const source = sourceOf(act, event, actor);
    return source === null || this.#repeats.isFirst(entry, source) ? { entry, source } : null;
  }
}
