import type { Frame } from '@edge-controller/shared-types/channel';
import { headers, headerValue } from '@edge-controller/shared-types/channel';
import type { Clock } from '../clock.ts';
import type { Timers } from '../timers.ts';

interface HeartbeatsOptions {
  readonly timers: Timers;
  readonly clock: Clock;
  /** Milliseconds between two heartbeats. */
  readonly interval: number;
  /** Sends a frame that only carries what is due. */
  readonly sendEmpty: () => void;
  /** Milliseconds without an answer. `null`: there need not be any. */
  readonly silence: number | null;
  readonly onSilence: () => void;
}

/** Milliseconds. */
const checkInterval = 1_000;
const answerDelay = 2;

/** The heartbeats of one side. They travel in the headers of other frames, if there are some. */
export class Heartbeats {
  readonly #options: HeartbeatsOptions;
  #sentAt = Number.NEGATIVE_INFINITY;
  #owed: Uint8Array | null = null;
  #answeredAt = Number.POSITIVE_INFINITY;

  constructor(options: HeartbeatsOptions) {
    this.#options = options;
    options.timers.every(Math.min(checkInterval, options.interval), () => {
      if (this.#isDue()) options.sendEmpty();
      if (performance.now() - this.#answeredAt > (options.silence ?? Number.POSITIVE_INFINITY)) options.onSilence();
    });
  }

  /** A connection is open. */
  begin(): void {
    this.#answeredAt = performance.now();
  }

  /** The headers of the next frame, with what is due. */
  addTo(own: ReadonlyMap<number, Uint8Array>): ReadonlyMap<number, Uint8Array> {
    const isDue = this.#isDue();
    if (!isDue && this.#owed === null) return own;
    const all = new Map(own);
    if (this.#owed !== null) all.set(headers.heartbeatResponse, this.#owed);
    if (isDue) {
      all.set(headers.heartbeat, headerValue.u64(BigInt(this.#options.clock()) * 1_000_000n));
      this.#sentAt = performance.now();
    }
    this.#owed = null;
    return all;
  }

  received(frame: Frame): void {
    if (frame.headers.has(headers.heartbeatResponse)) this.#answeredAt = performance.now();
    const beat = frame.headers.get(headers.heartbeat);
    if (!beat) return;
    this.#owed = beat;
    this.#options.timers.after(answerDelay, () => this.#owed !== null && this.#options.sendEmpty());
  }

  /** What the last connection wanted back is of no use on the next one. */
  forget(): void {
    this.#owed = null;
    this.#answeredAt = Number.POSITIVE_INFINITY;
  }

  #isDue(): boolean {
    return performance.now() - this.#sentAt > this.#options.interval;
  }
}
