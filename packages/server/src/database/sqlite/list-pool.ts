import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import { listTimeout, storeUnavailable } from '../unavailable.ts';
import { createKysely, refuseStream } from './create-kysely.ts';
import { mapError } from './errors.ts';

/** Processes that one file has at most. */
const maxProcesses = 2;
/** Milliseconds that a statement may take, that it may wait for a process, and that a process may take to start. */
const maxTime = 2_000;
const maxWait = 5_000;
const maxStart = 10_000;
/** Statements that may wait. */
const maxWaiting = 200;

/** A message to a list process. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** The response of a list process. */
export type Rows =
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  | { readonly error: { readonly code: string; readonly message: string } };

export interface ListPool<Tables> {
  /**
   * Statements that read, in processes of their own. They see only committed changes.
   *
   * @throws ApiError `TIMEOUT` when a statement takes longer than 2 seconds, `STORE_UNAVAILABLE` when too many wait
   */
  readonly lists: Kysely<Tables>;
  close(): Promise<void>;
}

interface Job {
  readonly statement: Statement;
  readonly settled: PromiseWithResolvers<Rows>;
}

interface Worker {
  run(job: Job): void;
  close(): Promise<void>;
}

/**
 * Reads a file in processes of their own, so that a slow list does not hold the event loop. They are processes and not
 * threads, because a running statement cannot be stopped: a thread goes on when it is terminated, but a process can be
 * killed. A process starts when it is first needed.
 */
export function createListPool<Tables>(file: string): ListPool<Tables> {
  const workers = new Set<Worker>();
  const idle: Worker[] = [];
  const waiting = new Set<Job>();
  let isClosed = false;

  const start = (): Worker => {
    const worker = startWorker(file, {
      onIdle() {
        const [next] = waiting;
        if (!next) return void idle.push(worker);
        waiting.delete(next);
        worker.run(next);
      },
      onEnd() {
        workers.delete(worker);
        if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
        const [next] = waiting;
        if (!next || isClosed) return;
        waiting.delete(next);
        startFor(next);
      },
    });
    workers.add(worker);
    return worker;
  };

  const startFor = (job: Job) => {
    try {
      start().run(job);
    } catch (error) {
      // Without memory, `fork` throws.
      job.settled.reject(storeUnavailable(error));
    }
  };

  const enqueue = (job: Job) => {
    if (waiting.size >= maxWaiting) throw storeUnavailable(new Error('too many lists wait'));
    waiting.add(job);
    const limit = setTimeout(() => {
      if (waiting.delete(job)) job.settled.reject(storeUnavailable(new Error('other lists took too long')));
    }, maxWait);
    const stop = () => clearTimeout(limit);
    job.settled.promise.then(stop, stop);
  };

  const read = async <R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
    if (isClosed) throw storeUnavailable(new Error('the store is closed'));
    const job: Job = { statement: { text, parameters }, settled: Promise.withResolvers() };
    const worker = idle.pop();
    if (worker) worker.run(job);
    else if (workers.size < maxProcesses) startFor(job);
    else enqueue(job);
    const response = await job.settled.promise;
    if ('error' in response) throw mapError(new Database.SqliteError(response.error.message, response.error.code));
    const { columns, rows } = response;
    return { rows: rows.map((values) => toObject(columns, values) as R) };
  };

  const connection = { executeQuery: read, streamQuery: refuseStream };
  return {
    lists: createKysely<Tables>({ acquireConnection: async () => connection }),
    async close() {
      isClosed = true;
      for (const { settled } of waiting) settled.reject(storeUnavailable(new Error('the store is closed')));
      waiting.clear();
      await Promise.all([...workers].map((worker) => worker.close()));
    },
  };
}

// Much faster than `Object.fromEntries`, and a page may have many rows.
function toObject(columns: readonly string[], values: readonly unknown[]): object {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < columns.length; at += 1) row[columns[at] ?? ''] = values[at];
  return row;
}

// The source and the built package differ in the ending of their files.
const program = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './list-process.ts' : './list-process.js', import.meta.url),
);

/** Starts a list process. It runs one statement at a time. */
function startWorker(file: string, { onIdle, onEnd }: { onIdle: () => void; onEnd: () => void }): Worker {
  // It gets no environment, because that may have secrets, and no options of this process, such as a debugger.
  const child = fork(program, [file], {
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let isReady = false;
  let running: { readonly job: Job; limit: NodeJS.Timeout } | null = null;
  doNotWaitFor(child);

  const limitAfter = (milliseconds: number, job: Job) =>
    setTimeout(() => {
      job.settled.reject(listTimeout({ origin: new Error('the list process was killed') }));
      child.kill('SIGKILL');
    }, milliseconds);

  child.on('message', (message: Rows | 'ready') => {
    if (message === 'ready') {
      isReady = true;
      if (!running) return;
      clearTimeout(running.limit);
      running.limit = limitAfter(maxTime, running.job);
      return;
    }
    const done = running;
    // A killed process may have responded just before. It gets no other statement.
    if (!done || child.killed) return;
    running = null;
    clearTimeout(done.limit);
    done.job.settled.resolve(message);
    onIdle();
  });
  // A failed start is an `error` without `exit`. A message to a process that has just ended is an `error` before `exit`.
  child.on('error', () => undefined);
  const ended = once(child, 'exit').catch(() => undefined);
  void ended.then(() => {
    clearTimeout(running?.limit);
    running?.job.settled.reject(storeUnavailable(new Error('the list process has ended')));
    onEnd();
  });

  return {
    run(job) {
      running = { job, limit: limitAfter(isReady ? maxTime : maxStart, job) };
      // A process that cannot start, because too many files are open, has no `send`. Its `error` follows.
      child.send?.(job.statement);
    },
    async close() {
      child.ref();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The process of the controller may end while a list process waits for work. */
function doNotWaitFor(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
