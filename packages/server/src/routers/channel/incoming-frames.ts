import type { Socket } from 'node:net';
import type { Frame, FrameLimits } from '@edge-controller/shared-types/channel';
import { FrameReader } from '@edge-controller/shared-types/channel';
import type { FrameTask, FrameTurns } from './frame-turns.ts';

/** Messages that are worked on at the same time. */
const maxRunning = 32;
/** Bytes that the other side has not read yet. Above it gets no more answers. */
const maxUnread = 1024 * 1024;

interface Options {
  readonly turns: FrameTurns;
  readonly limits: FrameLimits;
  /** Works on a frame. A promise stands for work that goes on. */
  readonly onFrame: (frame: Frame) => Promise<void> | void;
  /** The frames cannot go on. */
  readonly onError: (error: unknown) => void;
}

/** The frames that arrive at a socket, in their order. It reads no further than to the next frame that it may work on. */
export class IncomingFrames implements FrameTask {
  readonly #socket: Socket;
  readonly #options: Options;
  readonly #reader: FrameReader;
  readonly #turns: (() => void)[] = [];
  #frames: Iterator<Frame, void> | null = null;
  #running = 0;
  /** The first frame is worked on alone. */
  #maxRunning = 1;
  #isClosed = false;

  constructor(socket: Socket, options: Options) {
    this.#socket = socket;
    this.#options = options;
    this.#reader = new FrameReader(options.limits);
    socket.on('data', (chunk: Buffer) => {
      // After the end it is only taken off the socket.
      if (this.#isClosed) return;
      socket.pause();
      this.#frames = this.#reader.push(chunk);
      options.turns.add(this);
    });
    socket.on('drain', () => options.turns.add(this));
  }

  /** The other side is known: its frames may be longer, and come together. */
  accept(limits: FrameLimits): void {
    this.#reader.limits = limits;
    this.#maxRunning = maxRunning;
  }

  /** Resolves when this channel has its turn. Whoever has a lot to do for it waits for one now and then. */
  turn(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#options.turns.add(this);
    return new Promise((resolve) => this.#turns.push(resolve));
  }

  step(): 'more' | 'enough' | 'nothing' {
    const next = this.#turns.shift();
    if (next) {
      next();
      return 'enough';
    }
    const isBusy = this.#running >= this.#maxRunning || this.#socket.writableLength > maxUnread;
    if (this.#isClosed || !this.#frames || isBusy) return 'nothing';
    try {
      const { value: frame } = this.#frames.next();
      if (frame) {
        this.#work(frame);
        return 'more';
      }
      this.#frames = null;
      this.#socket.resume();
    } catch (error) {
      this.#options.onError(error);
    }
    return 'nothing';
  }

  close(): void {
    this.#isClosed = true;
    this.#frames = null;
    for (const resolve of this.#turns.splice(0)) resolve();
  }

  #work(frame: Frame): void {
    const done = this.#options.onFrame(frame);
    if (!(done instanceof Promise)) return;
    this.#running += 1;
    done
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => {
        this.#running -= 1;
        if (this.#frames) this.#options.turns.add(this);
      });
  }
}
