import type { TLSSocket } from 'node:tls';
import type { ApiSession } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { Channel } from '../channel/channel.ts';
import type { Message } from '../channel/messages.ts';
import { frameOf, replyTo } from '../channel/messages.ts';
import { PendingReplies } from '../channel/pending-replies.ts';
import { presentedFingerprints } from '../channel/presented-chain.ts';
import type { Timers } from '../timers.ts';
import type { EdgeConnection } from './edge-connection.ts';

interface EdgeChannelOptions {
  readonly socket: TLSSocket;
  readonly channel: Channel;
  readonly timers: Timers;
  /** The token of the hello. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly connectedAt: number;
}

/** Ids from here on are those of connections that an application accepts. */
const firstAccepted = 2 ** 31;
/** The sequence of each message that has one: `StateClosed` is the only one, and ends the connection. */
const closedSequence = 1;

/** The connection of an application to a router, after the router has accepted it. */
export class EdgeChannel {
  readonly token: string;
  readonly connectedAt: number;
  /** SHA-1 of the certificates that the application presented. */
  readonly fingerprints: readonly string[];
  /** As `host:port`. */
  readonly addresses: { readonly source: string; readonly destination: string };
  readonly #apiSession: ApiSession;
  readonly #channel: Channel;
  readonly #replies: PendingReplies;
  readonly #connections = new Map<number, EdgeConnection>();
  #sequence = 0;
  #accepted = firstAccepted;

  constructor(apiSession: ApiSession, { socket, channel, timers, token, connectedAt }: EdgeChannelOptions) {
    this.#apiSession = apiSession;
    this.#channel = channel;
    this.#replies = new PendingReplies(timers);
    this.token = token;
    this.connectedAt = connectedAt;
    this.fingerprints = presentedFingerprints(socket);
    this.addresses = {
      source: `${socket.remoteAddress}:${socket.remotePort}`,
      destination: `${socket.localAddress}:${socket.localPort}`,
    };
  }

  get apiSessionId(): string {
    return this.#apiSession.id;
  }

  get identityId(): string {
    return this.#apiSession.identityId;
  }

  get connections(): number {
    return this.#connections.size;
  }

  get isClosed(): boolean {
    return this.#channel.isClosed;
  }

  /** @returns whether the application keeps up */
  send(message: Message): boolean {
    this.#sequence += 1;
    return this.#channel.send(frameOf(message, this.#sequence));
  }

  reply(request: Frame, message: Message): void {
    this.send(replyTo(request, message));
  }

  /** `onReply` runs before the next frame is read. `null`: there was no reply in this time. */
  request(message: Message, timeout: number, onReply: (reply: Frame | null) => void): void {
    if (this.isClosed) {
      onReply(null);
      return;
    }
    this.#replies.expect(this.#sequence + 1, timeout, onReply);
    this.send(message);
  }

  /** @returns whether somebody waited for this frame */
  takeReply(frame: Frame): boolean {
    return this.#replies.take(frame);
  }

  connection(id: number | undefined): EdgeConnection | undefined {
    return id === undefined ? undefined : this.#connections.get(id);
  }

  /** @returns false when the application uses this id already */
  add(id: number, connection: EdgeConnection): boolean {
    if (this.#connections.has(id)) return false;
    this.#connections.set(id, connection);
    return true;
  }

  remove(id: number): void {
    this.#connections.delete(id);
  }

  /** The id of the next connection that the application accepts. */
  nextAccepted(): number {
    const id = this.#accepted;
    this.#accepted += 1;
    return id;
  }

  /** Ends a connection toward the application. */
  sendClosed(id: number, reason: string): void {
    this.#connections.delete(id);
    const sequence: [number, Uint8Array] = [edgeHeaders.sequence, headerValue.u32(closedSequence)];
    const all = new Map([...connectionHeader(id), sequence]);
    this.send({ type: edgeTypes.stateClosed, headers: all, body: headerValue.text(reason) });
  }

  /** Refuses what the application has asked for. */
  refuse(request: Frame, reason: string): void {
    const id = connectionIdOf(request);
    const all = id === undefined ? new Map() : connectionHeader(id);
    this.reply(request, { type: edgeTypes.stateClosed, headers: all, body: headerValue.text(reason) });
  }

  pause(by: object): void {
    this.#channel.pause(by);
  }

  resume(by: object): void {
    this.#channel.resume(by);
  }

  whenDrained(run: () => void): void {
    this.#channel.whenDrained(run);
  }

  close(reason: string): void {
    this.#channel.close(reason);
  }

  /** The connection is gone. */
  ended(): void {
    this.#replies.clear();
    const connections = [...this.#connections.values()];
    this.#connections.clear();
    for (const connection of connections) connection.closed();
  }
}

export function connectionIdOf({ headers }: Frame): number | undefined {
  return readHeader.u32(headers.get(edgeHeaders.connId));
}

export function connectionHeader(id: number): Map<number, Uint8Array> {
  return new Map([[edgeHeaders.connId, headerValue.u32(id)]]);
}
