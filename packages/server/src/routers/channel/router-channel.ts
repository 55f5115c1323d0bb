import type { Socket } from 'node:net';
import type { Frame } from '@edge-controller/shared-types/channel';
import {
  controlHeaders,
  controlTypes,
  FrameReader,
  frameHead,
  headerValue,
  helloLimits,
  readHeader,
  reflectedHeaders,
} from '@edge-controller/shared-types/channel';
import { Heartbeats } from './heartbeats.ts';
import type { Headers, Message } from './message.ts';

/** Of a connected router. What it reports of thousands of sessions or links is one frame. */
const limits = { headers: 256 * 1024, body: 4 * 1024 * 1024 };
/** Bytes that may wait for a router that does not read. */
const maxWaiting = 64 * 1024 * 1024;
/** Milliseconds that a router has to read what was sent last. */
const finishTime = 5_000;
/** Messages of one router that are worked on at the same time. */
const maxRunning = 256;

interface Options {
  /** Works on a message. What it throws ends the connection. */
  readonly onMessage: (frame: Frame) => Promise<void> | void;
  /** The connection has ended. `reason` is for the log. */
  readonly onClose: (reason: string) => void;
}

const noHeaders: Headers = new Map();
const noBody = new Uint8Array();

/** One connection of a router. Frames are worked on in their order; those that wait for a store may overtake each other. */
export class RouterChannel {
  readonly #socket: Socket;
  readonly #options: Options;
  readonly #reader = new FrameReader(helloLimits);
  readonly #heartbeats: Heartbeats;
  readonly #replies = new Map<number, (reply: Frame | null) => void>();
  #sequence = 0;
  #running = 0;
  #reason = 'the router has closed it';
  #isClosed = false;

  constructor(socket: Socket, options: Options) {
    this.#socket = socket;
    this.#options = options;
    this.#heartbeats = new Heartbeats({
      send: (headers) => void this.#write(controlTypes.heartbeat, headers, noBody, this.#next()),
      onSilence: () => this.close('no answer to heartbeats'),
    });
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.close(error.message));
    // A connection with a guard stays half open when the router ends its half.
    socket.on('end', () => this.close(this.#reason));
    socket.on('close', () => this.#end());
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** The hello was good: larger frames may come, and both sides show that they are there. */
  accept(): void {
    this.#reader.limits = limits;
    this.#heartbeats.start();
  }

  /** Sends a message. False: the connection has ended. */
  send({ type, headers = noHeaders, body = noBody }: Message): boolean {
    return this.#write(type, headers, body, this.#next());
  }

  /** Sends a message, and resolves to its reply. `null`: none has come in time. */
  request(message: Message, timeout: number): Promise<Frame | null> {
    const sequence = this.#next();
    return new Promise((resolve) => {
      const finish = (reply: Frame | null) => {
        clearTimeout(timer);
        this.#replies.delete(sequence);
        resolve(reply);
      };
      const timer = setTimeout(() => finish(null), timeout);
      timer.unref();
      this.#replies.set(sequence, finish);
      const { type, headers = noHeaders, body = noBody } = message;
      if (!this.#write(type, headers, body, sequence)) finish(null);
    });
  }

  /** Replies to a frame. */
  reply(to: Frame, { type, headers = noHeaders, body = noBody }: Message): boolean {
    const reflected = [...to.headers].filter(([key]) => key >= reflectedHeaders.from && key <= reflectedHeaders.to);
    const all = new Map([...reflected, ...headers, [controlHeaders.replyFor, headerValue.i32(to.sequence)]]);
    return this.#write(type, all, body, to.sequence === -1 ? -1 : this.#next());
  }

  close(reason: string): void {
    if (this.#isClosed) return;
    this.#reason = reason;
    this.#socket.destroy();
    this.#end();
  }

  /** Ends the connection when the router has got what was sent to it. */
  finish(reason: string): void {
    if (this.#isClosed) return;
    this.#reason = reason;
    const socket = this.#socket;
    // What the router sends is still read: a close with unread data would be a reset, and take away what the router has not read.
    socket.end();
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), finishTime);
    socket.once('close', () => clearTimeout(timer));
    this.#end();
  }

  #next(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  #write(type: number, headers: Headers, body: Uint8Array, sequence: number): boolean {
    if (this.#isClosed) return false;
    const socket = this.#socket;
    const beats = this.#heartbeats.headers();
    const all = beats.length === 0 ? headers : new Map([...headers, ...beats]);
    socket.cork();
    socket.write(frameHead({ type, sequence, headers: all, body }));
    if (body.length > 0) socket.write(body);
    socket.uncork();
    if (socket.writableLength > maxWaiting) this.close('the router does not read');
    return !this.#isClosed;
  }

  #read(chunk: Buffer): void {
    if (this.#isClosed) return;
    try {
      for (const frame of this.#reader.push(chunk)) {
        this.#receive(frame);
        if (this.#isClosed) return;
      }
    } catch (error) {
      this.close(reasonOf(error));
    }
  }

  #receive(frame: Frame): void {
    this.#heartbeats.hear(frame.headers);
    if (frame.type === controlTypes.heartbeat) return;
    const replyFor = readHeader.i32(frame.headers.get(controlHeaders.replyFor));
    const waiting = replyFor === undefined ? undefined : this.#replies.get(replyFor);
    if (waiting) waiting(frame);
    else this.#work(frame);
  }

  /** A router that sends faster than it is served has to wait. */
  #work(frame: Frame): void {
    const done = this.#options.onMessage(frame);
    if (!(done instanceof Promise)) return;
    this.#running += 1;
    if (this.#running >= maxRunning) this.#socket.pause();
    done
      .catch((error: unknown) => this.close(reasonOf(error)))
      .finally(() => {
        this.#running -= 1;
        if (this.#running < maxRunning && this.#socket.isPaused()) this.#socket.resume();
      });
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#heartbeats.stop();
    for (const finish of [...this.#replies.values()]) finish(null);
    this.#options.onClose(this.#reason);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'an error';
}
