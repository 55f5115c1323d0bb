import { EdgeTimeoutError } from './errors.ts';

/** The longest delay that timers know. */
const longest = 2_147_483_647;

interface Deadline {
  /** The caller's own signal. */
  signal: AbortSignal | undefined;
  /** Milliseconds. */
  timeout: number;
  /** What is waited for, as the error names it. */
  target: string;
}

/** Runs with a signal and stops waiting, whatever `run` does, at the timeout or when the caller's signal aborts. */
export async function withDeadline<T>(deadline: Deadline, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, timeout, target } = deadline;
  signal?.throwIfAborted();
  const controller = new AbortController();
  let end: (reason: unknown) => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    end = (reason) => {
      reject(reason);
      controller.abort(reason);
    };
  });
  const onAbort = () => end(signal?.reason);
  const timer = setTimeout(() => end(new EdgeTimeoutError(target, timeout)), Math.min(timeout, longest));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([run(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
