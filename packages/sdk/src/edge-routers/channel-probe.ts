/** Milliseconds between two checks. */
const interval = 10_000;
const probeInterval = 30_000;
const answerTimeout = 10_000;
/** A channel that nobody uses is closed after this time, because it keeps the API session alive. */
const idleTimeout = 60_000;

interface ProbedChannel {
  /** Asks the router for an answer, and then calls `answered`. */
  readonly ask: (answered: () => void) => void;
  /** Whether connections or binds use the channel. */
  readonly isUsed: () => boolean;
  /** Whether the channel reads nothing, because a connection is full. */
  readonly isPaused: () => boolean;
  readonly end: (why: 'dead' | 'idle') => void;
}

/** Looks whether the router behind a channel still answers, and how long that takes. Times are in milliseconds. */
export class ChannelProbe {
  readonly #channel: ProbedChannel;
  readonly #timer: ReturnType<typeof setInterval>;
  #latency = Number.POSITIVE_INFINITY;
  #readAt = performance.now();
  #usedAt = performance.now();
  #askedAt = 0;
  #isAnswered = true;

  constructor(channel: ProbedChannel) {
    this.#channel = channel;
    this.#timer = setInterval(() => this.#check(), interval).unref();
    this.#ask();
  }

  /** How long the last answer took. Infinite before the first one. */
  get latency(): number {
    return this.#latency;
  }

  recordRead(): void {
    this.#readAt = performance.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    const { isUsed, isPaused, end } = this.#channel;
    if (isUsed()) this.#usedAt = now;
    // Then the answer waits behind data that nobody reads.
    if (isPaused()) this.#readAt = now;
    const isSilent = !this.#isAnswered && now - this.#askedAt >= answerTimeout && now - this.#readAt >= probeInterval;
    if (isSilent) end('dead');
    else if (now - this.#usedAt >= idleTimeout) end('idle');
    else if (this.#isAnswered && now - this.#askedAt >= probeInterval - interval / 2) this.#ask();
  }

  #ask(): void {
    const askedAt = performance.now();
    this.#askedAt = askedAt;
    this.#isAnswered = false;
    this.#channel.ask(() => {
      this.#latency = performance.now() - askedAt;
      this.#isAnswered = true;
    });
  }
}
