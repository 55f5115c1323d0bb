import { listTimeout } from '../../../database/unavailable.ts';

/** The time that a list may take. */
export interface ListDeadline {
  /** @throws ApiError `TIMEOUT` when the time is over */
  check(): void;
  /** Rejects with `TIMEOUT` when the time is over before `work` has ended. `advice` tells the client what to do. */
  limit<T>(work: Promise<T>, advice: string): Promise<T>;
}

/** Starts the time of a list. It ends after so many milliseconds. */
export function listDeadline(milliseconds: number): ListDeadline {
  const endsAt = performance.now() + milliseconds;
  const exceeded = (advice?: string) => listTimeout({ seconds: milliseconds / 1_000, ...(advice && { advice }) });
  return {
    check() {
      if (performance.now() >= endsAt) throw exceeded();
    },

    limit: (work, advice) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(exceeded(advice)), Math.max(endsAt - performance.now(), 0));
        work.then(resolve, reject).finally(() => clearTimeout(timer));
      }),
  };
}
