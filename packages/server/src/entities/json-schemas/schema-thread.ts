import { Worker } from 'node:worker_threads';
import type { Question, SchemaVerdict } from './schema-checks.ts';
import { answerTime } from './schema-checks.ts';

/** What the thread says. */
export interface Answer {
  readonly verdict: SchemaVerdict;
  /** Milliseconds that it took. */
  readonly time: number;
}

// The source and the built package differ in the ending of their files.
const program = new URL(
  import.meta.url.endsWith('.ts') ? './schema-process.ts' : './schema-process.js',
  import.meta.url,
);

/** Milliseconds for the start of the thread, and for what it cannot stop by itself. */
const startTime = 6_000;
/** Mebibytes. */
const maxMemory = 256;

/** A thread that answers one question at a time. It starts with the first one. When it does not answer, it is replaced. */
export class SchemaThread {
  #worker: Worker | null = null;

  async ask(question: Question): Promise<Answer> {
    // It gets no environment, because that may have secrets, and no options of this process, such as a debugger.
    this.#worker ??= new Worker(program, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxMemory },
    });
    const worker = this.#worker;
    // Nobody waits for it when the process ends.
    worker.unref();
    try {
      return await answerOf(worker, question);
    } catch {
      this.#worker = null;
      await worker.terminate();
      return { verdict: 'late', time: answerTime };
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }
}

/** Rejects when it has ended, such as for want of memory, or does not answer. */
async function answerOf(worker: Worker, question: Question): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => reject(new Error('no answer')), answerTime + startTime).unref();
  worker.once('message', resolve).once('error', reject).once('exit', reject);
  try {
    worker.postMessage(question);
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', reject).off('exit', reject);
  }
}
