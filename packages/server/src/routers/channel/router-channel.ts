import type { Socket } from 'node:net';
import type { Frame } from '@edge-controller/shared-types/channel';
import {
  controlHeaders,
  controlTypes,
  frameHead,
  headerValue,
  helloLimits,
  readHeader,
  reflectedHeaders,
  supportedVersions,
  VersionError,
} from '@edge-controller/shared-types/channel';
import type { FrameTurns } from './frame-turns.ts';
import { Heartbeats } from './heartbeats.ts';
import { IncomingFrames } from './incoming-frames.ts';
import type { Headers, Message } from './message.ts';

/** Of a connected router. What it reports of thousands of sessions or links is one frame. */
const limits = { headers: 256 * 1024, body: 4 * 1024 * 1024 };
/** Bytes that may wait for a router that does not read. */
const maxWaiting = 64 * 1024 * 1024;
/** Milliseconds in which a router may read the last messages. */
const finishTime = 1_000;

interface Options {
  readonly turns: FrameTurns;
  /** Works on a message. What it throws ends the connection. */
  readonly onMessage: (frame: Frame) => Promise<void> | void;
  /** The connection has ended. `reason` is for the log. */
  readonly onClose: (reason: string) => void;
}

interface Expected {
  readonly isReply: (frame: Frame) => boolean;
  readonly finish: (reply: Frame | null) => void;
}

const noHeaders: Headers = new Map();
const noBody = new Uint8Array();

/** One connection of a router. Frames are worked on in their order; those that wait for a store may overtake each other. */
export class RouterChannel {
  readonly #socket: Socket;
  readonly #options: Options;
  readonly #incoming: IncomingFrames;
  readonly #heartbeats: Heartbeats;
  readonly #replies = new Map<number, Expected>();
  #sequence = 0;
  #isAccepted = false;
  #reason = 'the router has closed it';
  #isClosed = false;

  constructor(socket: Socket, options: Options) {
    this.#socket = socket;
    this.#options = options;
    this.#heartbeats = new Heartbeats({
      send: (headers) => void this.#write(controlTypes.heartbeat, headers, noBody, this.#next()),
      onSilence: () => this.close('no answer to heartbeats'),
    });
    this.#incoming = new IncomingFrames(socket, {
      ...{ turns: options.turns, limits: helloLimits },
      onFrame: (frame) => this.#receive(frame),
      onError: (error) => this.#fail(error),
    });
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
    this.#isAccepted = true;
    this.#incoming.accept(limits);
    this.#heartbeats.start();
  }

  /** The parts of a long list, each in a turn of this router. There are no more when the connection has ended. */
  async *parts<Item>(list: readonly Item[], size: number): AsyncGenerator<readonly Item[], void> {
    for (let at = 0; at < list.length && this.isOpen; at += size) {
      if (at > 0) await this.turn();
      yield list.slice(at, at + size);
    }
  }

  /** Resolves when it is the turn of this router to keep the controller busy. */
  turn(): Promise<void> {
    return this.#incoming.turn();
  }

  /** Sends a message. False: the connection has ended. */
  send({ type, headers = noHeaders, body = noBody }: Message): boolean {
    return this.#write(type, headers, body, this.#next());
  }

  /**
   * Sends a message, and resolves to its reply. `null`: none has come in time. `isReply` looks at what names this message: a router may
   * reply to one of an earlier connection that had the same number.
   */
  request(message: Message, timeout: number, isReply: Expected['isReply']): Promise<Frame | null> {
    const sequence = this.#next();
    return new Promise((resolve) => {
      const finish = (reply: Frame | null) => {
        clearTimeout(timer);
        this.#replies.delete(sequence);
        resolve(reply);
      };
      const timer = setTimeout(() => finish(null), timeout);
      timer.unref();
      this.#replies.set(sequence, { isReply, finish });
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

  /** Ends the connection when the router has had time to read what was sent to it. */
  finish(reason: string): void {
    if (this.#isClosed) return;
    this.#reason = reason;
    const socket = this.#socket;
    this.#end();
    // What the router sends is still read: a close with unread data would be a reset, and take away what the router has not read.
    socket.end();
    socket.resume();
    setTimeout(() => socket.destroy(), finishTime).unref();
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

  #receive(frame: Frame): Promise<void> | void {
    // Before its hello is accepted a peer gets nothing, not even a heartbeat.
    if (!this.#isAccepted) return this.#options.onMessage(frame);
    this.#heartbeats.receive(frame.headers);
    if (frame.type === controlTypes.heartbeat) return;
    const replyFor = readHeader.i32(frame.headers.get(controlHeaders.replyFor));
    const expected = replyFor === undefined ? undefined : this.#replies.get(replyFor);
    if (expected?.isReply(frame)) expected.finish(frame);
    else return this.#options.onMessage(frame);
  }

  #fail(error: unknown): void {
    const isOtherVersion = error instanceof VersionError && !this.#isAccepted && !this.#isClosed;
    if (isOtherVersion) this.#socket.write(supportedVersions);
    if (isOtherVersion) this.finish(error.message);
    else this.close(reasonOf(error));
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#heartbeats.stop();
    this.#incoming.close();
    for (const { finish } of [...this.#replies.values()]) finish(null);
    this.#options.onClose(this.#reason);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'an error';
}
