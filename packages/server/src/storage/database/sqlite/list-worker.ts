import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { listTimeout, storeUnavailable } from '../unavailable.ts';

/** Milliseconds that a statement may take, and that a process may take to start. */
const maxTime = 2_000;
const maxStart = 10_000;

/** A message to a list process. */
export interface WorkerStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** The response of a list process. */
export type ListedRows =
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  | { readonly error: { readonly code: string; readonly message: string } };

/** A statement whose rows somebody waits for. */
export interface Job {
  readonly statement: WorkerStatement;
  readonly settled: PromiseWithResolvers<ListedRows>;
}

// The source and the built package differ in the ending of their files.
const program = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './list-process.ts' : './list-process.js', import.meta.url),
);

interface WorkerEvents {
  readonly onIdle: () => void;
  readonly onEnd: () => void;
}

/** A list process. It runs one statement at a time. */
export class ListWorker {
  readonly #child: ChildProcess;
  readonly #events: WorkerEvents;
  readonly #ended: Promise<unknown>;
  #isReady = false;
  #running: { readonly job: Job; limit: NodeJS.Timeout } | null = null;

  constructor(file: string, events: WorkerEvents) {
    // It gets no environment, because that may have secrets, and no options of this process, such as a debugger.
    this.#child = fork(program, [file], {
      env: {},
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#events = events;
    doNotWaitFor(this.#child);
    this.#child.on('message', (message: ListedRows | 'ready') => {
      if (message === 'ready') this.#begin();
      else this.#finish(message);
    });
    // A failed start is an `error` without `exit`. A message to a process that has just ended is an `error` before `exit`.
    this.#child.on('error', () => undefined);
    this.#ended = once(this.#child, 'exit').catch(() => undefined);
    void this.#ended.then(() => this.#end());
  }

  run(job: Job): void {
    this.#running = { job, limit: this.#limitAfter(this.#isReady ? maxTime : maxStart, job) };
    // A process that cannot start, because too many files are open, has no `send`. Its `error` follows.
    this.#child.send?.(job.statement);
  }

  async close(): Promise<void> {
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #begin(): void {
    this.#isReady = true;
    if (!this.#running) return;
    clearTimeout(this.#running.limit);
    this.#running.limit = this.#limitAfter(maxTime, this.#running.job);
  }

  #finish(rows: ListedRows): void {
    const done = this.#running;
    // A killed process may have responded just before. It gets no other statement.
    if (!done || this.#child.killed) return;
    this.#running = null;
    clearTimeout(done.limit);
    done.job.settled.resolve(rows);
    this.#events.onIdle();
  }

  #end(): void {
    clearTimeout(this.#running?.limit);
    this.#running?.job.settled.reject(storeUnavailable(new Error('the list process has ended')));
    this.#events.onEnd();
  }

  #limitAfter(milliseconds: number, job: Job): NodeJS.Timeout {
    return setTimeout(() => {
      job.settled.reject(listTimeout({ origin: new Error('the list process was killed') }));
      this.#child.kill('SIGKILL');
    }, milliseconds);
  }
}

/** The process of the controller may end while a list process waits for work. */
function doNotWaitFor(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}
