/**
 * The time of a client.
 *
 * @example
 * const ahead: EdgeClock = { now: () => Date.now() + 60_000 };
 * const edge = createEdgeClient(url, { clock: ahead });
 */
export interface EdgeClock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /**
   * Runs the listener after every jump of the clock, until the signal aborts. The listener passes to `waitUntil` what it does about
   * the jump. Default: none, and the client looks at the clock at least every 30 seconds.
   */
  onJump?(listener: (waitUntil: (work: Promise<unknown>) => void) => void, signal: AbortSignal): void;
}
