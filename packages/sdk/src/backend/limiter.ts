interface LimiterOptions {
  /** How many tasks run at once. */
  readonly limit: number;
  /** How many more may wait. */
  readonly maxWaiting: number;
  /** Makes the error of a task that may not wait. */
  readonly onFull: () => Error;
}

/** Runs a task when it is its turn. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

/** Limits how many tasks run at once. The others wait in the order in which they came. */
export function createLimiter({ limit, maxWaiting, onFull }: LimiterOptions): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (task) => {
    if (running >= limit) {
      if (waiting.length >= maxWaiting) throw onFull();
      // The task that ends gives its place to the next one, so that nobody overtakes.
      await new Promise<void>((start) => waiting.push(start));
    } else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
