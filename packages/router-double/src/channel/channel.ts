import type { Duplex } from 'node:stream';
import type { Frame, FrameLimits } from '@edge-controller/shared-types/channel';
import { FrameError, FrameReader, frameHead } from '@edge-controller/shared-types/channel';

/** A body up to this length is copied behind its head, because that costs less than a second write. */
const copiedBody = 16_384;

interface ChannelOptions {
  readonly limits: FrameLimits;
  readonly onFrame: (frame: Frame) => void;
  /** Once, however the connection ends. */
  readonly onClose: (reason: string) => void;
  readonly onSent?: (frame: Frame) => void;
}

/** A connection that carries frames. */
export class Channel {
  readonly #socket: Duplex;
  readonly #options: ChannelOptions;
  readonly #reader: FrameReader;
  readonly #pausedBy = new Set<object>();
  #drained: (() => void)[] = [];
  #reason = 'the peer closed the connection';
  #isClosed = false;

  constructor(socket: Duplex, options: ChannelOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#reader = new FrameReader(options.limits);
    socket.on('data', (chunk: Uint8Array) => this.#read(chunk));
    socket.on('drain', () => this.#runDrained());
    socket.on('error', ({ message }) => {
      this.#reason = message;
    });
    socket.on('close', () => {
      this.#isClosed = true;
      this.#runDrained();
      options.onClose(this.#reason);
    });
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#socket.destroyed;
  }

  set limits(limits: FrameLimits) {
    this.#reader.limits = limits;
  }

  /** @returns whether the peer keeps up */
  send(frame: Frame): boolean {
    if (this.isClosed) return true;
    this.#options.onSent?.(frame);
    const head = frameHead(frame);
    if (frame.body.length <= copiedBody) return this.write(Buffer.concat([head, frame.body]));
    this.#socket.cork();
    this.#socket.write(head);
    const keepsUp = this.#socket.write(frame.body);
    process.nextTick(() => this.#socket.uncork());
    return keepsUp;
  }

  /** Sends bytes as they are. */
  write(bytes: Uint8Array): boolean {
    return this.isClosed || this.#socket.write(bytes);
  }

  /** Runs as soon as the peer keeps up again, or the connection has ended. */
  whenDrained(run: () => void): void {
    if (this.isClosed || !this.#socket.writableNeedDrain) run();
    else this.#drained.push(run);
  }

  /** Reads nothing until all who have paused the channel have resumed it. */
  pause(by: object): void {
    this.#pausedBy.add(by);
    this.#socket.pause();
  }

  resume(by: object): void {
    if (this.#pausedBy.delete(by) && this.#pausedBy.size === 0) this.#socket.resume();
  }

  /** Resolves when everything that was sent has left the process, or the connection has ended. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isClosed) resolve();
      else this.#socket.write(new Uint8Array(), () => resolve());
    });
  }

  close(reason: string): void {
    if (this.isClosed) return;
    this.#reason = reason;
    this.#socket.destroy();
  }

  #read(chunk: Uint8Array): void {
    try {
      for (const frame of this.#reader.push(chunk)) {
        if (this.isClosed) return;
        this.#options.onFrame(frame);
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.close(error.message);
    }
  }

  #runDrained(): void {
    const waiting = this.#drained;
    this.#drained = [];
    for (const run of waiting) run();
  }
}
