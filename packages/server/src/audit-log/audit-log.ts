import type { Transaction } from 'kysely';
import type { EntityStore, Tables } from '../entity-store/entity-store.ts';
import type { EventBus } from '../events/bus.ts';
import type { ControllerEvent, ControllerEvents, EventName } from '../events/events.ts';
import type { Clock } from '../lib/clock.ts';
import { actOf } from './acts.ts';
import type { NewEntry } from './entry.ts';
import type { Actor } from './entry-of.ts';
import { entryOf } from './entry-of.ts';
import { EntryQueue } from './entry-queue.ts';
import { EntryWriter } from './entry-writer.ts';

interface Parts {
  readonly entities: EntityStore;
  readonly events: EventBus;
  readonly clock: Clock;
  /** False: nothing is written but that controllers start and stop. */
  readonly isEnabled: boolean;
}

const always: ReadonlySet<EventName> = new Set(['controllerStarted', 'controllerStopped', 'auditLogShortened']);

/**
 * The audit log: a chain of entries, in which each has the hash of the one before. Events become entries. An event of a change
 * has its entry in the transaction of the change. Any other one is written before `publish` resolves, so before the response.
 */
export class AuditLog {
  readonly #parts: Parts;
  readonly #writer: EntryWriter;
  readonly #queue: EntryQueue;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#writer = new EntryWriter(parts.entities);
    this.#queue = new EntryQueue(this.#writer);
  }

  /** Writes the entries of events in a transaction. They must be its last statements; see `EntryWriter`. */
  async append(tx: Transaction<Tables>, actor: Actor, events: readonly ControllerEvent[]): Promise<void> {
    const entries = events.flatMap((event) => this.#entryOf(event, actor) ?? []);
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
    const entry = this.#entryOf(event, actor);
    if (entry) await this.#queue.write(entry);
  }

  /** Entries that are not written yet, and the seconds for which the first of them has waited. */
  load(): { readonly waiting: number; readonly lag: number } {
    return this.#queue.load();
  }

  #entryOf(event: ControllerEvent, actor: Actor): NewEntry | null {
    const { isEnabled, clock } = this.#parts;
    if (!isEnabled && !always.has(event.name)) return null;
    const act = actOf(event, actor.session?.principal.id ?? null);
    return act && entryOf(act, actor, clock());
  }
}
