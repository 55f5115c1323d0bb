import { EdgeTimeoutError } from './errors.ts';

/** The longest delay of a timer in milliseconds. */
export const maxDelay = 2_147_483_647;

/** The last status that a call with this signal got. */
export const lastStatuses = new WeakMap<AbortSignal, number>();

interface Deadline {
  /** The signal of the caller. */
  signal: AbortSignal | undefined;
  /** Milliseconds. A time that is too long for a timer is no limit. */
  timeout: number;
  /** The address in the error message. */
  target: string;
}

/** Throws `TypeError` for an invalid timeout. */
export function checkTimeout(timeout: number): void {
  if (!(timeout > 0)) throw new TypeError(`timeout must be a positive number of milliseconds, got ${timeout}`);
}

/**
 * Runs `run` with a signal. Rejects at the timeout or when the signal of the caller aborts, even if `run` ignores its
 * signal.
 */
export async function withDeadline<T>(deadline: Deadline, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, timeout, target } = deadline;
  checkTimeout(timeout);
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
  const expire = () => end(new EdgeTimeoutError(target, timeout, lastStatuses.get(controller.signal)));
  const timer = timeout <= maxDelay ? setTimeout(expire, timeout) : undefined;
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([run(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
