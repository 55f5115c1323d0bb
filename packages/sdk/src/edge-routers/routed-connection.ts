import type { Frame } from '@edge-controller/shared-types/channel';
import { dataFlags, edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { PeerIdentity } from './authentication/peer-identity.ts';
import type { ProofMessages } from './authentication/proof-messages.ts';
import { EdgeConnectionError } from './connection-error.ts';
import { connectionHeaders } from './connection-headers.ts';
import type { EdgeConnection } from './edge-connection.ts';
import { linger, sendClosed } from './linger.ts';
import type { ChannelMember, RouterChannel } from './router-channel.ts';
import type { SecureMessages } from './secure-messages.ts';
import { SocketLike } from './socket-like.ts';

/** What a connection is made of. */
export interface ConnectionParts {
  readonly channel: RouterChannel;
  readonly id: number;
  /** `null`: the service is not encrypted. */
  readonly secure: SecureMessages | null;
  readonly service: string;
  readonly circuitId: string;
  readonly callerId: string;
  readonly appData: Uint8Array;
  readonly allowHalfOpen: boolean;
}

type Written = (error?: Error | null) => void;

/** Bytes of one message at most, so that connections that share a channel take turns. */
const maxMessage = 32 * 1_024;
/** Bytes that wait for a reader until the channel waits for him, too. */
const maxUnread = 4 * 1_024 * 1_024;
/** A message needs more memory than its bytes. */
const messageOverhead = 256;
/** Milliseconds. Nothing waits any longer for a connection that nobody has read for this time. */
const maxStall = 10_000;

/** A connection over a channel to an edge router. */
export class RoutedConnection extends SocketLike implements EdgeConnection {
  readonly service: string;
  readonly circuitId: string;
  readonly callerId: string;
  readonly appData: Uint8Array;
  closeReason: string | null = null;
  peer: PeerIdentity | null = null;
  #peerHasEnded = false;
  readonly #channel: RouterChannel;
  readonly #id: number;
  readonly #secure: SecureMessages | null;
  readonly #member: ChannelMember;
  #unread = 0;
  #stall: ReturnType<typeof setTimeout> | undefined;
  /** Whether the router waits for the end of the connection. */
  #isOpen = true;
  #hasEnded = false;
  #isReferenced = true;
  /** Emitted when all that has come was read. */
  #failure: EdgeConnectionError | undefined;

  constructor(parts: ConnectionParts) {
    const { channel, id, secure, service, circuitId, callerId, appData, allowHalfOpen } = parts;
    super({ allowHalfOpen });
    this.service = service;
    this.circuitId = circuitId;
    this.callerId = callerId;
    this.appData = appData;
    this.#channel = channel;
    this.#id = id;
    this.#secure = secure;
    this.#member = { kind: 'dial', receive: (frame) => this.#receive(frame), lost: (error) => this.#lost(error) };
    channel.add(id, this.#member);
    channel.hold();
    if (secure) this.#send(secure.header);
  }

  override get remoteAddress(): string {
    return this.circuitId;
  }

  /** What both ends send before any data. `null`: this end proves nothing. */
  get proofs(): ProofMessages | null {
    return this.#secure?.proofs ?? null;
  }

  /** Sends what is no data: it comes before all of it. */
  sendProof(message: Uint8Array): void {
    if (this.#isOpen && this.#secure) this.#send(this.#secure.encrypt(message));
  }

  override ref(): this {
    if (!this.#isReferenced && !this.destroyed) this.#channel.hold();
    this.#isReferenced = true;
    return this;
  }

  override unref(): this {
    if (this.#isReferenced && !this.destroyed) this.#channel.release();
    this.#isReferenced = false;
    return this;
  }

  override read(size?: number): Buffer | string | null {
    const chunk: Buffer | string | null = super.read(size);
    if (this.#failure) this.#failWhenRead();
    return chunk;
  }

  override _read(): void {
    this.#unread = this.readableLength;
    clearTimeout(this.#stall);
    this.#channel.unfill(this);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Written): void {
    this.#sendAll([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: Written): void {
    this.#sendAll(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: Written): void {
    if (this.#isOpen) {
      this.#hasEnded = true;
      if (this.#secure?.sealsEnds) this.#send(this.#secure.encryptEnd());
      this.#send(undefined, dataFlags.fin);
    }
    done();
  }

  override _destroy(error: Error | null, done: Written): void {
    clearTimeout(this.#stall);
    this.#channel.unfill(this);
    this.proofs?.fail(error ?? new EdgeConnectionError('CLOSED'));
    if (!this.#isOpen) this.#leave();
    else if (this.#hasEnded && !error) this.#linger();
    else {
      sendClosed(this.#channel, this.#id);
      this.#leave();
    }
    this.#isOpen = false;
    super._destroy(error, done);
  }

  #leave(): void {
    this.#channel.replace(this.#id, this.#member, null);
    if (this.#isReferenced) this.#channel.release();
  }

  #linger(): void {
    if (!this.#isReferenced) this.#channel.hold();
    linger({ channel: this.#channel, id: this.#id, instead: this.#member, peerHasEnded: this.#peerHasEnded });
  }

  #sendAll(chunks: readonly Buffer[], done: Written): void {
    if (!this.#isOpen) {
      this.#failWrite(done);
      return;
    }
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += maxMessage) {
        const message = chunk.subarray(at, at + maxMessage);
        this.#send(this.#secure ? this.#secure.encrypt(message) : message);
      }
      this.bytesWritten += chunk.length;
    }
    this.recordActivity();
    if (this.#channel.isFull) this.#channel.onDrain(done);
    else done();
  }

  #send(body: Uint8Array | undefined, flags = 0): void {
    const headers = connectionHeaders(this.#id);
    if (flags !== 0) headers.set(edgeHeaders.flags, headerValue.u32(flags));
    this.#channel.send(edgeTypes.data, headers, body);
  }

  #receive({ type, headers, body }: Frame): void {
    try {
      if (type === edgeTypes.data) this.#take(body, readHeader.u32(headers.get(edgeHeaders.flags)) ?? 0);
      else if (type === edgeTypes.stateClosed) this.#closed(new TextDecoder().decode(body));
    } catch (cause) {
      this.destroy(new EdgeConnectionError('DAMAGED', { cause }));
    }
  }

  #take(body: Uint8Array, flags: number): void {
    if (this.#peerHasEnded) return;
    if ((flags & dataFlags.multipartMessage) !== 0) throw new Error('a message of several parts');
    this.recordActivity();
    if (body.length > 0) this.#push(this.#secure ? this.#secure.decrypt(body) : detached(body));
    const isFin = (flags & dataFlags.fin) !== 0;
    if (this.#secure?.sealsEnds) {
      if (this.#secure.hasEnded) this.#end();
      // Anybody on the way can send one.
      else if (isFin) this.destroy(new EdgeConnectionError('TRUNCATED'));
    } else if (isFin) this.#end();
  }

  #end(): void {
    this.#peerHasEnded = true;
    this.push(null);
  }

  #push(message: Uint8Array): void {
    if (message.length === 0) return;
    this.bytesRead += message.length;
    this.#unread += message.length + messageOverhead;
    if (!this.push(message) && this.#unread > maxUnread) this.#fill();
  }

  /** Too much waits for a reader. */
  #fill(): void {
    this.#channel.fill(this);
    this.#whenNotRead(() => {
      if (this.#channel.memberCount === 1) this.#fill();
      else this.destroy(new EdgeConnectionError('NOT_READ'));
    });
  }

  /** Runs it when a time has passed in which nothing was read. */
  #whenNotRead(run: () => void, before = this.readableLength): void {
    clearTimeout(this.#stall);
    this.#stall = setTimeout(() => {
      if (this.readableLength < before) this.#whenNotRead(run);
      else run();
    }, maxStall).unref();
  }

  #lost(error: EdgeConnectionError): void {
    this.#isOpen = false;
    this.destroy(error);
  }

  /** The router has closed the connection. */
  #closed(reason: string): void {
    this.#isOpen = false;
    this.closeReason = reason;
    const isComplete = this.#peerHasEnded && this.writableLength === 0;
    if (isComplete && this.readableEnded) this.destroy();
    else if (isComplete) this.once('end', () => this.destroy());
    else this.#fail(new EdgeConnectionError('CLOSED', { reason }));
  }

  #fail(error: EdgeConnectionError): void {
    this.#failure = error;
    this.#failWhenRead();
    if (!this.destroyed) this.#whenNotRead(() => this.destroy(error));
  }

  #failWhenRead(): void {
    if (this.readableLength === 0) this.destroy(this.#failure);
  }

  /** Not before everything was read: it may say why the other end has closed the connection. */
  #failWrite(done: Written): void {
    const error = new EdgeConnectionError('CLOSED', { reason: this.closeReason ?? '' });
    if (this.readableLength === 0) done(error);
    else this.#fail(error);
  }
}

/** A small message must not keep the memory of all that came together with it. */
function detached(body: Uint8Array): Uint8Array {
  return body.length * 4 < body.buffer.byteLength ? Buffer.from(body) : body;
}
