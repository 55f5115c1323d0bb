import type { Frame } from '@edge-controller/shared-types/channel';
import { edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { ProofMessages } from './authentication/proof-messages.ts';
import type { Hosting, Precedence } from './bind-options.ts';
import { EdgeConnectionError } from './connection-error.ts';
import { connectionHeaders } from './connection-headers.ts';
import type { KeyPair } from './key-exchange.ts';
import { agreeOnKeys, createKeyPair } from './key-exchange.ts';
import { sendClosed } from './linger.ts';
import type { ConnectionParts } from './routed-connection.ts';
import { RoutedConnection } from './routed-connection.ts';
import type { ChannelMember, RouterChannel } from './router-channel.ts';
import { SecureMessages } from './secure-messages.ts';

export interface Bind {
  readonly service: string;
  /** The JWT of the session for the service. */
  readonly token: string;
  readonly isEncrypted: boolean;
  /** Whether this end proves who it is to one that does, too. */
  readonly offersProof: boolean;
  /** The identity of the terminator. */
  readonly identity: string | undefined;
  readonly allowHalfOpen: boolean;
  /** The same again takes over what is left of an earlier bind. */
  readonly listenerId: string;
  readonly hosting: Hosting;
  /** Whether another connection may come. */
  readonly hasRoom: () => boolean;
  readonly accept: (connection: RoutedConnection) => void;
}

const precedences: Readonly<Record<Precedence, number>> = { default: 0, required: 1, failed: 2 };
const libsodium = 0;

/** One service on one edge router: it takes the connections that come there. */
export class RouterBind {
  readonly #channel: RouterChannel;
  readonly #bind: Bind;
  readonly #id: number;
  readonly #keys: KeyPair | null;
  readonly #member: ChannelMember;
  readonly #established = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<EdgeConnectionError | null>();

  constructor(channel: RouterChannel, bind: Bind) {
    this.#channel = channel;
    this.#bind = bind;
    this.#id = channel.newId();
    this.#keys = bind.isEncrypted ? createKeyPair() : null;
    this.#member = { kind: 'bind', receive: (frame) => this.#receive(frame), lost: (error) => this.#end(error) };
    this.#established.promise.catch(() => undefined);
    channel.add(this.#id, this.#member);
    channel.hold();
    channel.send(edgeTypes.bind, this.#headers(), headerValue.text(bind.token));
  }

  /** Resolves when the controller knows the bind. Rejects with an `EdgeConnectionError` when it is refused. */
  get established(): Promise<void> {
    return this.#established.promise;
  }

  /** Resolves when no more connections come: to the reason, or to `null` after `close`. */
  get ended(): Promise<EdgeConnectionError | null> {
    return this.#ended.promise;
  }

  update(hosting: Hosting): void {
    const headers = connectionHeaders(this.#id, hostingHeaders(hosting));
    this.#channel.send(edgeTypes.updateBind, headers, headerValue.text(this.#bind.token));
  }

  /** Takes no more connections. Those that are open stay. */
  close(): void {
    if (!this.#channel.has(this.#id)) return;
    this.#channel.send(edgeTypes.unbind, connectionHeaders(this.#id), headerValue.text(this.#bind.token));
    sendClosed(this.#channel, this.#id);
    this.#end(null);
  }

  #headers(): Map<number, Uint8Array> {
    const { listenerId, identity, hosting } = this.#bind;
    const yes = headerValue.boolean(true);
    const headers = connectionHeaders(this.#id, [
      [edgeHeaders.routerProvidedConnId, yes],
      [edgeHeaders.listenerId, headerValue.text(listenerId)],
      [edgeHeaders.supportsInspect, yes],
      [edgeHeaders.supportsBindSuccess, yes],
      [edgeHeaders.useFlowControl, headerValue.boolean(false)],
      ...hostingHeaders(hosting),
    ]);
    if (identity !== undefined) headers.set(edgeHeaders.terminatorIdentity, headerValue.text(identity));
    if (this.#keys) {
      headers.set(edgeHeaders.publicKey, this.#keys.publicKey);
      headers.set(edgeHeaders.cryptoMethod, headerValue.u8(libsodium));
    }
    return headers;
  }

  #receive(frame: Frame): void {
    if (frame.type === edgeTypes.bindSuccess) this.#established.resolve();
    else if (frame.type === edgeTypes.dial) this.#dialed(frame);
    else if (frame.type === edgeTypes.stateClosed) {
      this.#end(new EdgeConnectionError('REFUSED', { reason: new TextDecoder().decode(frame.body) }));
    }
  }

  #end(reason: EdgeConnectionError | null): void {
    this.#channel.replace(this.#id, this.#member, null);
    this.#channel.release();
    this.#established.reject(reason ?? new EdgeConnectionError('CLOSED'));
    this.#ended.resolve(reason);
  }

  #dialed(frame: Frame): void {
    const ofBind = connectionHeaders(this.#id);
    let parts: ConnectionParts;
    try {
      parts = this.#partsOf(frame);
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      this.#channel.reply(frame, edgeTypes.dialFailed, ofBind, headerValue.text(reason));
      return;
    }
    // Before anything of the connection.
    this.#channel.reply(frame, edgeTypes.dialSuccess, ofBind, headerValue.u32(parts.id));
    this.#bind.accept(new RoutedConnection(parts));
  }

  /** Throws when the dial cannot be accepted. The dialing end gets the message of the error. */
  #partsOf({ headers }: Frame): ConnectionParts {
    const { service, allowHalfOpen, hasRoom } = this.#bind;
    if (!hasRoom()) throw new Error('too many connections wait for the host');
    const id = readHeader.u32(headers.get(edgeHeaders.routerProvidedConnId));
    if (id === undefined || this.#channel.has(id)) throw new Error('the dial has no id of its own');
    return {
      ...{ channel: this.#channel, id, service, allowHalfOpen },
      secure: this.#secureWith(headers.get(edgeHeaders.publicKey)),
      circuitId: readHeader.text(headers.get(edgeHeaders.circuitId)) ?? '',
      callerId: readHeader.text(headers.get(edgeHeaders.callerId)) ?? '',
      appData: Uint8Array.from(headers.get(edgeHeaders.appData) ?? []),
    };
  }

  /** Throws when the dialing end has no key, or one that cannot be used. */
  #secureWith(peer: Uint8Array | undefined): SecureMessages | null {
    if (!this.#keys) return null;
    if (!peer) throw new EdgeConnectionError('NOT_ENCRYPTED');
    const proofs = this.#bind.offersProof
      ? new ProofMessages({ dialer: Uint8Array.from(peer), host: this.#keys.publicKey })
      : null;
    return new SecureMessages(agreeOnKeys(this.#keys, peer, 'hosts'), proofs);
  }
}

function hostingHeaders({ cost, precedence }: Hosting): [number, Uint8Array][] {
  const headers: [number, Uint8Array][] = [];
  if (cost !== undefined) headers.push([edgeHeaders.cost, headerValue.u16(cost)]);
  if (precedence !== undefined) headers.push([edgeHeaders.precedence, headerValue.u8(precedences[precedence])]);
  return headers;
}
