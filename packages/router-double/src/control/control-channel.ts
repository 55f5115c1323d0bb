import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { Channel } from '../channel/channel.ts';
import type { Message } from '../channel/messages.ts';
import { frameOf, helloSequence, replyTo } from '../channel/messages.ts';
import { PendingReplies } from '../channel/pending-replies.ts';
import type { Clock } from '../clock.ts';
import type { RouterTimings } from '../options.ts';
import type { RouterIdentity } from '../router-identity.ts';
import type { Timers } from '../timers.ts';
import { readAddress } from './controller-address.ts';
import { Heartbeats } from './heartbeats.ts';
import type { Before, Welcome } from './hello.ts';
import { readWelcome } from './hello.ts';

interface ControlChannelOptions {
  readonly controllers: readonly string[];
  readonly identity: () => RouterIdentity;
  /** `null`: nothing is said. */
  readonly helloFrame: (before: Before | null) => Frame | null;
  /** Of version 2: the channel may have several connections, and ends when the controller does not answer heartbeats. */
  readonly isGrouped: boolean;
  /** The controller has accepted the hello. What was kept for it is sent after this. */
  readonly onOpen: (welcome: Welcome, isFirst: boolean) => void;
  readonly onFrame: (frame: Frame) => void;
  readonly onClose: (reason: string) => void;
  readonly observe: (direction: 'sent' | 'received', frame: Frame) => void;
  readonly timings: RouterTimings;
  readonly timers: Timers;
  readonly clock: Clock;
}

/** A `DataState` may be large. */
const limits = { headers: 65_536, body: 64 * 1_024 * 1_024 };
/** Frames that wait for the next connection. */
const maxKept = 1_000;

/** The connection of a router to a controller. A lost one is opened again, at the next controller if there are several. */
export class ControlChannel {
  readonly #options: ControlChannelOptions;
  readonly #addresses: readonly { readonly host: string; readonly port: number }[];
  readonly #replies: PendingReplies;
  readonly #heartbeats: Heartbeats;
  #channel: Channel | null = null;
  #isOpen = false;
  #isStopped = false;
  #controllerId: string | null = null;
  #sequence = 0;
  #attempts = 0;
  #failures = 0;
  #connections = 0;
  #before: Before | null = null;
  /** The controllers that it may connect to again after it has closed the connection itself. */
  #known: readonly string[] = [];
  #cancelConnect: () => void = () => undefined;
  #kept: Message[] = [];
  /** Sends the requests that wait for the next connection. */
  #opening = new Set<() => void>();

  constructor(options: ControlChannelOptions) {
    const { timers, clock, timings, controllers } = options;
    this.#options = options;
    this.#addresses = controllers.map(readAddress);
    if (controllers.length === 0) throw new TypeError('a router needs the address of a controller');
    this.#replies = new PendingReplies(timers);
    const sendEmpty = () => this.#isOpen && this.send({ type: controlTypes.heartbeat });
    this.#heartbeats = new Heartbeats({
      ...{ timers, clock, sendEmpty, interval: timings.heartbeat },
      silence: options.isGrouped ? timings.silence : null,
      onSilence: () => this.#giveUp(),
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  connect(): void {
    if (this.#isStopped || this.#channel) return;
    const { timings, timers, identity } = this.#options;
    const address = this.#addresses[this.#attempts % this.#addresses.length];
    if (!address) return;
    const { host, port } = address;
    this.#attempts += 1;
    const { key, cert, ca } = identity();
    const servername = isIP(host) === 0 ? host : '';
    const socket = connect({ host, port, key, cert, ca, servername, ALPNProtocols: ['ziti-ctrl'] });
    socket.setNoDelay(true);
    const channel: Channel = new Channel(socket, {
      limits,
      onFrame: (frame) => this.#read(channel, frame),
      onClose: (reason) => this.#closed(channel, reason),
      onSent: (frame) => this.#options.observe('sent', frame),
    });
    this.#channel = channel;
    socket.once('secureConnect', () => this.#sayHello(channel));
    this.#cancelConnect();
    this.#cancelConnect = timers.after(timings.connect, () => channel.close('the controller did not answer in time'));
  }

  /** Without a connection, the message waits for the next one. */
  send(message: Message): void {
    if (this.#isOpen) this.#send(message);
    else if (this.#kept.length < maxKept) this.#kept.push(message);
  }

  reply(request: Frame, message: Message): void {
    this.send(replyTo(request, message));
  }

  /** `onReply` runs before the next frame is read. `null`: there was no reply in this time. */
  request(message: Message, timeout: number, onReply: (reply: Frame | null) => void): void {
    if (!this.#isOpen) {
      this.#requestLater(message, timeout, onReply);
      return;
    }
    this.#replies.expect(this.#sequence + 1, timeout, onReply);
    this.#send(message);
  }

  /** Sends bytes as they are, also before the controller has answered the hello. */
  write(bytes: Uint8Array): boolean {
    if (!this.#channel) throw new Error('the router is not connected to a controller');
    return this.#channel.write(bytes);
  }

  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** Resolves when everything that was sent has left the process. */
  flushed(): Promise<void> {
    return this.#channel?.flushed() ?? Promise.resolve();
  }

  /** Loses the connection. The router connects again. */
  disconnect(): void {
    const channel = this.#channel;
    const reason = 'the router disconnected';
    channel?.close(reason);
    if (channel) this.#closed(channel, reason);
  }

  /** The controllers that the network has, by their ids. */
  set known(ids: readonly string[]) {
    this.#known = ids;
  }

  /** The controller is silent: the router closes the channel, and forgets it. */
  #giveUp(): void {
    const isKnown = this.#known.includes(this.#controllerId ?? '');
    this.#before = null;
    if (!isKnown) this.#isStopped = true;
    this.disconnect();
  }

  stop(): void {
    this.#isStopped = true;
    this.#replies.clear();
    this.disconnect();
  }

  /** The time counts from now on. */
  #requestLater(message: Message, timeout: number, onReply: (reply: Frame | null) => void): void {
    if (this.#isStopped || this.#opening.size >= maxKept) {
      onReply(null);
      return;
    }
    const until = performance.now() + timeout;
    const cancel = this.#options.timers.after(timeout, () => this.#opening.delete(send) && onReply(null));
    const send = () => {
      cancel();
      this.request(message, until - performance.now(), onReply);
    };
    this.#opening.add(send);
  }

  #sayHello(channel: Channel): void {
    const frame = this.#options.helloFrame(this.#before);
    if (frame) channel.send(frame);
    else this.#cancelConnect();
  }

  #send(message: Message): void {
    const all = this.#heartbeats.addTo(message.headers ?? new Map());
    this.#channel?.send(frameOf({ ...message, headers: all }, this.nextSequence()));
  }

  #read(channel: Channel, frame: Frame): void {
    this.#options.observe('received', frame);
    if (!this.#isOpen) {
      this.#welcome(channel, frame);
      return;
    }
    this.#heartbeats.received(frame);
    if (!this.#replies.take(frame)) this.#options.onFrame(frame);
  }

  #welcome(channel: Channel, frame: Frame): void {
    const isFirst = this.#connections === 0;
    const welcome = readWelcome(frame, { before: this.#before, isGrouped: this.#options.isGrouped });
    if (typeof welcome === 'string') {
      channel.close(welcome);
      return;
    }
    this.#cancelConnect();
    this.#connections += 1;
    this.#failures = 0;
    this.#isOpen = true;
    const { connectionId, groupSecret } = welcome;
    this.#controllerId = welcome.controllerId;
    // The id of the first answer stays that of the channel.
    const id = (this.#options.isGrouped ? this.#before?.connectionId : undefined) ?? connectionId;
    this.#before = id === null ? null : { connectionId: id, groupSecret, count: this.#connections };
    this.#heartbeats.begin();
    if (!isFirst) channel.send(frameOf({ type: controlTypes.reconnectPing }, helloSequence));
    this.#options.onOpen(welcome, isFirst);
    for (const message of this.#kept.splice(0)) this.#send(message);
    const opening = this.#opening;
    this.#opening = new Set();
    for (const send of opening) send();
  }

  #closed(channel: Channel, reason: string): void {
    if (this.#channel !== channel) return;
    const wasOpen = this.#isOpen;
    this.#channel = null;
    this.#isOpen = false;
    this.#heartbeats.forget();
    if (wasOpen) this.#options.onClose(reason);
    if (this.#isStopped) return;
    const { reconnect, longestReconnect } = this.#options.timings;
    const delay = Math.min(longestReconnect, reconnect * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    this.#options.timers.after(delay, () => this.connect());
  }
}
