import type { TLSSocket } from 'node:tls';
import type { Frame, FrameLimits } from '@edge-controller/shared-types/channel';
import {
  edgeHeaders,
  edgeTypes,
  FrameReader,
  frameHead,
  headerValue,
  helloLimits,
  readHeader,
} from '@edge-controller/shared-types/channel';
import { ChannelProbe } from './channel-probe.ts';
import { EdgeConnectionError } from './connection-error.ts';
import { connectionHeaders } from './connection-headers.ts';

export type FrameHeaders = ReadonlyMap<number, Uint8Array>;

/** A connection or a bind on a channel. */
export interface ChannelMember {
  /** As the router asks for it (`connectionType`). */
  readonly kind: 'dial' | 'bind';
  receive(frame: Frame): void;
  /** The channel was lost. */
  lost(error: EdgeConnectionError): void;
}

/** How a channel ended. */
export interface ChannelLoss {
  /** The router closed it soon after the hello, which it does when it does not know the session or the certificate. */
  readonly isUnauthorized: boolean;
  readonly cause: unknown;
}

interface ChannelParts {
  /** The address of the router: `tls://host:port`. */
  readonly url: string;
  readonly socket: TLSSocket;
  /** Finds out why a channel was lost. */
  readonly explain: (loss: ChannelLoss) => Promise<EdgeConnectionError>;
}

interface Asked {
  readonly answered: (frame: Frame) => void;
  readonly lost: (error: EdgeConnectionError) => void;
}

/** The other end of a connection decides how long a message is. */
const frameLimits: FrameLimits = { headers: 64 * 1_024, body: 32 * 1_024 * 1_024 };
/** Bytes of answers that a router may leave unread. */
const maxUnread = 16 * 1_024 * 1_024;
/** Milliseconds in which a router decides about the session of a channel. */
const decisionTime = 6_000;
const helloSequence = -1;
const maxId = 0x7fffffff;
const connectionTypes = { none: 0, dial: 1, bind: 2 } as const;
const reflected = 128;
const nothing = new Uint8Array();

/** The channel to one edge router, which all connections and binds share. */
export class RouterChannel {
  readonly url: string;
  readonly openedAt = performance.now();
  readonly #socket: TLSSocket;
  readonly #explain: ChannelParts['explain'];
  readonly #reader = new FrameReader(helloLimits);
  readonly #members = new Map<number, ChannelMember>();
  readonly #asked = new Map<number, Asked>();
  /** Connections that are full. While there are any, nothing is read. */
  readonly #full = new Set<object>();
  #probe: ChannelProbe | undefined;
  #drained: (() => void)[] = [];
  #sequence = 0;
  #lastId = 0;
  #references = 0;
  #isCorked = false;
  /** The router has worked on something, so it knows the session. */
  #isKnown = false;
  #cause: unknown;
  #ended: Promise<EdgeConnectionError> | undefined;
  #listeners: (() => void)[] = [];

  constructor({ url, socket, explain }: ChannelParts) {
    this.url = url;
    this.#socket = socket;
    this.#explain = explain;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('drain', () => this.#drain());
    socket.on('error', (error) => (this.#cause ??= error));
    socket.on('close', () => this.#lose());
  }

  /** Resolves when the router has answered. It decides about the session later, and says nothing then. */
  async hello(token: string, identityId: string): Promise<void> {
    const answer = new Promise<Frame>((answered, lost) => this.#asked.set(helloSequence, { answered, lost }));
    const headers = new Map([[edgeHeaders.sessionToken, headerValue.text(token)]]);
    const body = headerValue.text(identityId);
    this.#write({ type: edgeTypes.hello, sequence: helloSequence, headers, body });
    const { headers: answered } = await answer;
    if (readHeader.boolean(answered.get(edgeHeaders.isSuccess)) !== true) throw new EdgeConnectionError('UNAUTHORIZED');
    this.#probe = new ChannelProbe({
      ask: (answered) => this.ask(edgeTypes.latency, new Map([[reflected, clock()]]), nothing, { answered, lost() {} }),
      isUsed: () => this.#members.size > 0 || this.#references > 0,
      isPaused: () => this.isPaused,
      end: (why) => {
        if (why === 'idle') this.end(new EdgeConnectionError('ROUTER_LOST'));
        else this.#socket.destroy(new Error('the router does not answer'));
      },
    });
    this.#refer();
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  /** Milliseconds of the last round trip. */
  get latency(): number {
    return this.#probe?.latency ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a full connection makes the others wait. */
  get isPaused(): boolean {
    return this.#full.size > 0;
  }

  get memberCount(): number {
    return this.#members.size;
  }

  /** Whether it should not send more now: see `onDrain`. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** Calls it once, when there is room again. */
  onDrain(listener: () => void): void {
    this.#drained.push(listener);
  }

  /** Calls it when the channel has ended. */
  onEnd(listener: () => void): void {
    if (this.#ended) listener();
    else this.#listeners.push(listener);
  }

  /** An id that no member has. */
  newId(): number {
    do this.#lastId = (this.#lastId % maxId) + 1;
    while (this.#members.has(this.#lastId));
    return this.#lastId;
  }

  has(id: number): boolean {
    return this.#members.has(id);
  }

  add(id: number, member: ChannelMember): void {
    this.#members.set(id, member);
  }

  replace(id: number, from: ChannelMember, to: ChannelMember | null): void {
    if (this.#members.get(id) !== from) return;
    if (to) this.#members.set(id, to);
    else this.#members.delete(id);
  }

  /** While somebody holds the channel, it keeps the process alive. */
  hold(): void {
    this.#references += 1;
    this.#refer();
  }

  release(): void {
    this.#references -= 1;
    this.#refer();
  }

  /** Reads nothing more until `unfill`: what comes for a full connection has no place, and it comes in order. */
  fill(member: object): void {
    this.#full.add(member);
    this.#socket.pause();
  }

  unfill(member: object): void {
    if (this.#full.delete(member) && this.#full.size === 0) this.#socket.resume();
  }

  send(type: number, headers: FrameHeaders, body: Uint8Array = nothing): void {
    this.#write({ type, sequence: this.#nextSequence(), headers, body });
  }

  /** Sends a message, and calls one of the two functions once. */
  ask(type: number, headers: FrameHeaders, body: Uint8Array, asked: Asked): void {
    if (this.#ended) return void this.#ended.then(asked.lost);
    const sequence = this.#nextSequence();
    this.#asked.set(sequence, asked);
    this.#write({ type, sequence, headers, body });
  }

  /** Sends the reply to a message. */
  reply(to: Frame, type: number, headers: FrameHeaders, body: Uint8Array = nothing): void {
    if (this.#socket.writableLength > maxUnread) this.#socket.destroy(new Error('the router reads no answers'));
    this.send(type, new Map([...headers, [edgeHeaders.replyFor, headerValue.i32(to.sequence)]]), body);
  }

  /** Ends all that it carries, with this error. */
  end(error: EdgeConnectionError): void {
    this.#finish(Promise.resolve(error), error);
    this.#socket.destroy();
  }

  #nextSequence(): number {
    // Signed, 32 bits.
    this.#sequence = (this.#sequence + 1) | 0;
    return this.#sequence;
  }

  #refer(): void {
    // A socket that has ended would wait for its next connection, with one more listener each time.
    if (this.#socket.destroyed) return;
    // Until the hello is answered, whoever opens the channel waits for it.
    if (this.#references > 0 || !this.#probe) this.#socket.ref();
    else this.#socket.unref();
  }

  #write(frame: Frame): void {
    if (this.#socket.destroyed) return;
    if (!this.#isCorked) {
      // All that is sent in one turn goes into few TLS records.
      this.#isCorked = true;
      this.#socket.cork();
      queueMicrotask(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(frameHead(frame));
    if (frame.body.length > 0) this.#socket.write(frame.body);
  }

  #drain(): void {
    const listeners = this.#drained;
    this.#drained = [];
    for (const listener of listeners) listener();
  }

  #read(chunk: Uint8Array): void {
    this.#probe?.recordRead();
    try {
      for (const frame of this.#reader.push(chunk)) this.#receive(frame);
    } catch (error) {
      // Nothing can be read behind it.
      this.#socket.destroy(error as Error);
    }
  }

  #receive(frame: Frame): void {
    this.#reader.limits = frameLimits;
    this.#isKnown ||= frame.headers.has(edgeHeaders.connId);
    const replyFor = readHeader.i32(frame.headers.get(edgeHeaders.replyFor));
    const asked = replyFor === undefined ? undefined : this.#asked.get(replyFor);
    if (replyFor !== undefined && asked) {
      this.#asked.delete(replyFor);
      asked.answered(frame);
    } else if (frame.type === edgeTypes.latency || frame.type === edgeTypes.ping) this.#reflect(frame);
    else this.#pass(frame, readHeader.u32(frame.headers.get(edgeHeaders.connId)) ?? 0);
  }

  #pass(frame: Frame, id: number): void {
    const member = this.#members.get(id);
    if (frame.type === edgeTypes.connectionInspect) {
      const type = headerValue.u8(connectionTypes[member?.kind ?? 'none']);
      const headers = connectionHeaders(id, [[edgeHeaders.connectionType, type]]);
      this.reply(frame, edgeTypes.connectionInspectResponse, headers);
    } else member?.receive(frame);
  }

  #reflect(frame: Frame): void {
    const time = frame.headers.get(reflected);
    const headers = new Map<number, Uint8Array>([[edgeHeaders.isSuccess, headerValue.boolean(true)]]);
    if (time) headers.set(reflected, time);
    this.reply(frame, edgeTypes.result, headers);
  }

  #lose(): void {
    const isYoung = performance.now() - this.openedAt < decisionTime;
    const isUnauthorized = this.#probe !== undefined && isYoung && !this.#isKnown;
    this.#finish(this.#explain({ isUnauthorized, cause: this.#cause }));
  }

  /** `error`: what `reason` resolves to, if it is known. */
  #finish(reason: Promise<EdgeConnectionError>, error?: EdgeConnectionError): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.#probe?.stop();
    for (const listener of this.#listeners) listener();
    if (error) this.#notify(error);
    else void reason.then((known) => this.#notify(known));
  }

  #notify(error: EdgeConnectionError): void {
    const all = [...this.#asked.values(), ...this.#members.values()];
    this.#asked.clear();
    this.#members.clear();
    for (const each of all) each.lost(error);
  }
}

/** Nanoseconds, for the router to send back. */
function clock(): Uint8Array {
  return headerValue.u64(BigInt(Math.round(performance.now() * 1e6)));
}
