import type { EntityStore } from '../entity-store/entity-store.ts';
import type { Effect } from './effect.ts';

/**
 * Cleans up after changes that end many sessions. One pass at a time reads sessions in batches. A long pass continues in the
 * background. The rows of the outbox stay until their pass has ended.
 */
export class Sweep {
  readonly #database: Pick<EntityStore, 'db'>;
  readonly #patience: number;
  readonly #pass: (effects: readonly Effect[]) => Promise<void>;
  readonly #waiting = new Map<number, Effect>();
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  /** @param patience milliseconds after which `run` no longer waits for its pass */
  constructor(
    database: Pick<EntityStore, 'db'>,
    patience: number,
    pass: (effects: readonly Effect[]) => Promise<void>,
  ) {
    this.#database = database;
    this.#patience = patience;
    this.#pass = pass;
  }

  /** Ids of the rows of the outbox that wait for a pass. */
  get waiting(): readonly number[] {
    return [...this.#waiting.keys()];
  }

  add(id: number, effect: Effect): void {
    this.#waiting.set(id, effect);
  }

  /** Runs a pass for all that waits, after the one that runs now. Resolves when it has ended or takes too long. Never rejects. */
  async run(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, this.#patience);
    await Promise.race([this.#afterThis(), timer.promise]);
    clearTimeout(timeout);
  }

  #afterThis(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = null;
      // The rows stay in the outbox when it fails, so the next drain tries again.
      return this.#runPass().catch(() => undefined);
    });
    this.#last = this.#next;
    return this.#next;
  }

  async #runPass(): Promise<void> {
    const rows = [...this.#waiting];
    if (rows.length === 0) return;
    await this.#pass(rows.map(([, effect]) => effect));
    const ids = rows.map(([id]) => id);
    await this.#database.db.deleteFrom('outbox').where('id', 'in', ids).execute();
    for (const id of ids) this.#waiting.delete(id);
  }
}
