import Database from 'better-sqlite3';
import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { ObserveStatement } from '../sql/observe-statements.ts';
import { storeUnavailable } from '../unavailable.ts';
import { createKysely, refuseStream } from './create-kysely.ts';
import { mapError } from './errors.ts';
import type { Job } from './list-worker.ts';
import { ListWorker } from './list-worker.ts';

/** Processes that one file has at most. */
const maxProcesses = 2;
/** Milliseconds that a statement may wait for a process. */
const maxWait = 5_000;
/** Statements that may wait. */
const maxWaiting = 200;

/**
 * Reads a file in processes of their own, so that a slow list does not block the event loop. They are processes and not
 * threads, because a running statement cannot be stopped: a thread goes on when it is terminated, but a process can be
 * killed. A process starts when it is first needed.
 */
export class ListPool<Tables> {
  /**
   * Statements that read, in processes of their own. They see only committed changes.
   *
   * @throws ApiError `TIMEOUT` when a statement takes longer than 2 seconds, `STORE_UNAVAILABLE` when too many wait
   */
  readonly lists: Kysely<Tables>;
  readonly #file: string;
  readonly #workers = new Set<ListWorker>();
  readonly #idle: ListWorker[] = [];
  readonly #waiting = new Set<Job>();
  #isClosed = false;

  /** `observe` gets each statement. */
  constructor(file: string, observe?: ObserveStatement) {
    this.#file = file;
    const connection = { executeQuery: <R>(query: CompiledQuery) => this.#read<R>(query), streamQuery: refuseStream };
    this.lists = createKysely<Tables>({ acquireConnection: async () => connection }, observe);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { settled } of this.#waiting) settled.reject(storeUnavailable(new Error('the store is closed')));
    this.#waiting.clear();
    await Promise.all([...this.#workers].map((worker) => worker.close()));
  }

  async #read<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isClosed) throw storeUnavailable(new Error('the store is closed'));
    const job: Job = { statement: { text, parameters }, settled: Promise.withResolvers() };
    const worker = this.#idle.pop();
    if (worker) worker.run(job);
    else if (this.#workers.size < maxProcesses) this.#startFor(job);
    else this.#enqueue(job);
    const response = await job.settled.promise;
    if ('error' in response) throw mapError(new Database.SqliteError(response.error.message, response.error.code));
    const { columns, rows } = response;
    return { rows: rows.map((values) => toObject(columns, values) as R) };
  }

  #enqueue(job: Job): void {
    if (this.#waiting.size >= maxWaiting) throw storeUnavailable(new Error('too many lists wait'));
    this.#waiting.add(job);
    const limit = setTimeout(() => {
      if (this.#waiting.delete(job)) job.settled.reject(storeUnavailable(new Error('other lists took too long')));
    }, maxWait);
    const stop = () => clearTimeout(limit);
    job.settled.promise.then(stop, stop);
  }

  #startFor(job: Job): void {
    try {
      const worker = new ListWorker(this.#file, {
        onIdle: () => this.#giveNextTo(worker),
        onEnd: () => this.#replace(worker),
      });
      this.#workers.add(worker);
      worker.run(job);
    } catch (error) {
      // Without memory, `fork` throws.
      job.settled.reject(storeUnavailable(error));
    }
  }

  #giveNextTo(worker: ListWorker): void {
    const next = this.#takeNext();
    if (next) worker.run(next);
    else this.#idle.push(worker);
  }

  #replace(ended: ListWorker): void {
    this.#workers.delete(ended);
    if (this.#idle.includes(ended)) this.#idle.splice(this.#idle.indexOf(ended), 1);
    const next = this.#isClosed ? undefined : this.#takeNext();
    if (next) this.#startFor(next);
  }

  #takeNext(): Job | undefined {
    const [next] = this.#waiting;
    if (next) this.#waiting.delete(next);
    return next;
  }
}

// Much faster than `Object.fromEntries`, and a page may have many rows.
function toObject(columns: readonly string[], values: readonly unknown[]): object {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < columns.length; at += 1) row[columns[at] ?? ''] = values[at];
  return row;
}
