import { setImmediate } from 'node:timers';
import { controlHeaders, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { Headers } from './message.ts';

/** Milliseconds. */
const interval = 10_000;
const checkInterval = 1_000;
/** After which a router that answers nothing is gone: the first answer, and the next ones. */
const [firstPatience, patience] = [90_000, 30_000];

interface Options {
  /** Sends a frame for these headers alone. */
  readonly send: (headers: Headers) => void;
  readonly onSilence: () => void;
}

/** Shows the other side that this one is there, and finds out when the other one is not. */
export class Heartbeats {
  readonly #options: Options;
  #timer: NodeJS.Timeout | null = null;
  #sentAt = 0;
  #receivedAt = 0;
  #patience = firstPatience;
  #isDue = false;
  /** The beat of the other side, to be given back. */
  #owed: Uint8Array | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    const now = performance.now();
    [this.#sentAt, this.#receivedAt] = [now, now];
    this.#timer = setInterval(() => this.#check(), checkInterval).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** What the next frame has to carry. */
  headers(): readonly [number, Uint8Array][] {
    const due: [number, Uint8Array][] = [];
    if (this.#isDue) {
      this.#isDue = false;
      this.#sentAt = performance.now();
      due.push([controlHeaders.heartbeat, headerValue.u64(process.hrtime.bigint())]);
    }
    if (this.#owed) due.push([controlHeaders.heartbeatResponse, this.#owed]);
    this.#owed = null;
    return due;
  }

  receive(headers: Headers): void {
    if (headers.has(controlHeaders.heartbeatResponse)) {
      this.#receivedAt = performance.now();
      this.#patience = patience;
    }
    const beat = headers.get(controlHeaders.heartbeat);
    if (beat === undefined) return;
    readHeader.u64(beat);
    // A copy: the frame is a view of bytes that would all stay in memory.
    this.#owed = Uint8Array.from(beat);
    setImmediate(() => {
      if (this.#owed) this.#options.send(new Map());
    });
  }

  #check(): void {
    const now = performance.now();
    if (now - this.#receivedAt > this.#patience) {
      this.#options.onSilence();
      return;
    }
    if (now - this.#sentAt <= interval) return;
    this.#isDue = true;
    this.#options.send(new Map());
  }
}
