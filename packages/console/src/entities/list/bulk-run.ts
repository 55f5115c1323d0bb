import { isEdgeApiError } from '@edge-controller/sdk';
import { explainError } from '../../api/explain-error.ts';

export interface BulkFailure {
  readonly name: string;
  readonly reason: string;
}

export interface BulkState {
  readonly phase: 'running' | 'stopped' | 'finished';
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** The first failures. */
  readonly failures: readonly BulkFailure[];
  /** Why the run stopped by itself. */
  readonly problem: unknown;
}

/** Calls that are under way at once. */
const atOnce = 4;
/** Failures whose reasons are kept. */
const maxFailures = 100;

/** Does something to many entities. A failure of one does not stop the others; a lost session or connection does. */
export class BulkRun {
  readonly #act: (id: string) => Promise<unknown>;
  readonly #waiting: [id: string, name: string][];
  readonly #doneIds: string[] = [];
  readonly #listeners = new Set<() => void>();
  #abort = new AbortController();
  #state: BulkState;

  /** @param entities names by id */
  constructor(entities: ReadonlyMap<string, string>, act: (id: string) => Promise<unknown>) {
    this.#act = act;
    this.#waiting = [...entities].toReversed();
    this.#state = { phase: 'stopped', total: entities.size, done: 0, failed: 0, failures: [], problem: null };
  }

  readonly snapshot = (): BulkState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Ids of the entities that it was done to. */
  get doneIds(): readonly string[] {
    return this.#doneIds;
  }

  /** Begins, or goes on after a stop. Resolves when nothing is under way any more. */
  async run(): Promise<void> {
    this.#abort = new AbortController();
    this.#change({ phase: 'running', problem: null });
    await Promise.all(Array.from({ length: atOnce }, () => this.#work(this.#abort.signal)));
    if (this.#state.phase === 'running') this.#change({ phase: 'finished' });
  }

  /** What is under way is still done. */
  stop(): void {
    if (this.#state.phase !== 'running') return;
    this.#abort.abort();
    this.#change({ phase: 'stopped' });
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = this.#waiting.pop();
      if (next === undefined) return;
      await this.#actOn(next);
    }
  }

  async #actOn(entity: [id: string, name: string]): Promise<void> {
    const [id, name] = entity;
    try {
      await this.#act(id);
      this.#doneIds.push(id);
      this.#change({ done: this.#state.done + 1 });
    } catch (error) {
      if (isEdgeApiError(error) && error.status !== 401) {
        this.#fail({ name, reason: explainError(error).text });
        return;
      }
      this.#waiting.push(entity);
      this.#abort.abort();
      this.#change({ phase: 'stopped', problem: error });
    }
  }

  #fail(failure: BulkFailure): void {
    const { failed, failures } = this.#state;
    const kept = failures.length < maxFailures ? [...failures, failure] : failures;
    this.#change({ failed: failed + 1, failures: kept });
  }

  #change(change: Partial<BulkState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
