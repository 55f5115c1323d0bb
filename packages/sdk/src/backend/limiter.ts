interface LimiterOptions {
  /** How many tasks run at once. */
  readonly limit: number;
  /** How many more may wait. */
  readonly maxWaiting: number;
  /** Milliseconds after which a task loses its place. */
  readonly maxTime: number;
  /** Makes the error of a task that may not wait. */
  readonly onFull: () => Error;
}

/** Runs a task when it is its turn. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

/** Limits how many tasks run at once. The others wait in the order in which they came. */
export function createLimiter({ limit, maxWaiting, maxTime, onFull }: LimiterOptions): Limiter {
  const waiting: (() => void)[] = [];
  /** When the tasks that run lose their places. */
  const places = new Map<symbol, number>();

  function startNext(): void {
    const now = performance.now();
    // Some tasks never end: a worker runtime may drop a request with all that it waits for, and a `fetch` ignore its signal.
    for (const [place, endsAt] of places) if (endsAt <= now) places.delete(place);
    while (places.size < limit && waiting.length > 0) waiting.shift()?.();
  }

  return async (task) => {
    startNext();
    const place = Symbol();
    const take = () => void places.set(place, performance.now() + maxTime);
    if (places.size < limit) take();
    else {
      if (waiting.length >= maxWaiting) throw onFull();
      await new Promise<void>((start) => {
        // It has the place before it runs, so that nobody overtakes.
        waiting.push(() => {
          take();
          start();
        });
      });
    }
    try {
      return await task();
    } finally {
      places.delete(place);
      startNext();
    }
  };
}
