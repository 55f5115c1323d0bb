import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import { wereExpensive } from './client-certificates.ts';
import { guards } from './connection-guard.ts';
import { GuardedStream } from './guarded-stream.ts';
import { HandshakeTurns } from './handshake-turns.ts';
import { readKeyLog } from './key-log.ts';
import { KnownAddresses } from './known-addresses.ts';
import { PeerFlight } from './peer-flight.ts';
import { RefusedHandshake } from './refused-handshake.ts';

export interface GuardOptions {
  /** The address of a peer as limits count it: the address itself, or its network. */
  readonly groupOf: (socket: Socket) => string;
  /** Gets why a connection from an address has failed. */
  readonly onRefused: (error: Error, address: string) => void;
}

/** A connection whose handshake is read before OpenSSL gets it. */
interface Handshake {
  readonly socket: Socket;
  readonly flight: PeerFlight;
  readonly stream: GuardedStream;
}

/** Milliseconds in which the first message of a handshake must arrive. */
const helloTimeout = 10_000;
const secretLabel = 'CLIENT_HANDSHAKE_TRAFFIC_SECRET';

/**
 * Puts a guard before the TLS handshakes of a server: OpenSSL verifies client certificates on the main thread, without a time
 * limit. Call it before `listen`, and before you add other listeners for connections. A guard costs CPU time with every
 * request. So a connection has none when an API session was used at its address.
 */
export function guardHandshakes(server: Server, options: GuardOptions): void {
  new HandshakeGuard(server, options).start();
}

type Accept = (this: Server, stream: Socket | GuardedStream) => void;

class HandshakeGuard {
  readonly #server: Server;
  readonly #options: GuardOptions;
  readonly #accept: Accept;
  readonly #addresses = new KnownAddresses();
  readonly #turns = new HandshakeTurns((address) => this.#addresses.isTrusted(address));
  /** By the random value of the client, which names a connection in the key log. */
  readonly #handshakes = new Map<string, Handshake>();
  readonly #handshakeOf = new WeakMap<TLSSocket, Handshake>();

  constructor(server: Server, options: GuardOptions) {
    const [accept] = server.listeners('connection') as [Accept];
    this.#server = server;
    this.#options = options;
    this.#accept = accept;
  }

  start(): void {
    const server = this.#server;
    server.off('connection', this.#accept);
    server.on('connection', (socket: Socket) => {
      if (this.#addresses.isTrusted(this.#options.groupOf(socket))) this.#accept.call(server, socket);
      else this.#guard(socket);
    });

    // Stores no TLS session, so none is resumed. The listener is here because with it Node gives OpenSSL up to 16 KiB at once
    // instead of 1 KiB. After a chain with a wrong signature, OpenSSL fails when it has to wait for more bytes.
    server.on('newSession', (_id, _session, done) => done());
    server.on('keylog', (line: Buffer, tls: TLSSocket) => this.#decrypt(line, tls));
    server.on('secureConnection', (tls) => this.#show(tls));
  }

  #guard(socket: Socket): void {
    const address = this.#options.groupOf(socket);
    const flight = new PeerFlight('client');
    const timer = setTimeout(() => stream.destroy(), helloTimeout);
    let isBegun = false;
    const runStep = (step: () => void) => {
      if (!isBegun && !stream.destroyed) {
        isBegun = true;
        clearTimeout(timer);
        this.#begin({ socket, flight, stream });
      }
      step();
    };
    const stream = new GuardedStream(socket, {
      flight,
      // OpenSSL would wait for the rest until its time is over.
      onEarlyEnd: () => stream.destroy(),
      run: (step, work) => {
        if (!this.#turns.add(address, { work, isBegun, run: () => runStep(step) })) stream.destroy();
      },
    });
    stream.on('error', (error) => {
      if (error instanceof RefusedHandshake) this.#turns.refuse(address);
      this.#options.onRefused(error, address);
    });
    stream.once('close', () => clearTimeout(timer));
  }

  /** The first message has arrived: OpenSSL may begin. */
  #begin(handshake: Handshake): void {
    const { flight, stream } = handshake;
    const { clientRandom } = flight;
    if (clientRandom === undefined || this.#handshakes.has(clientRandom)) {
      stream.destroy();
      return;
    }
    this.#handshakes.set(clientRandom, handshake);
    stream.once('close', () => this.#handshakes.delete(clientRandom));
    this.#accept.call(this.#server, stream);
  }

  #decrypt(line: Buffer, tls: TLSSocket): void {
    const { label, clientRandom, secret } = readKeyLog(line);
    const handshake = this.#handshakes.get(clientRandom);
    if (!handshake) return;
    this.#handshakeOf.set(tls, handshake);
    if (label !== secretLabel) return;
    handshake.flight.decryptWith(secret, tls.getCipher().name);
    handshake.stream.advance();
  }

  /** Records what is known of a connection whose handshake has ended. */
  #show(tls: TLSSocket): void {
    const addresses = this.#addresses;
    const handshake = this.#handshakeOf.get(tls);
    const address = this.#options.groupOf(handshake?.socket ?? tls);
    if (!handshake) {
      guards.set(tls, { certificates: null, mayLeak: () => addresses.mayLeak(address) });
      if (wereExpensive(tls)) addresses.distrust(address);
      return;
    }
    // This also takes away what OpenSSL has left of a chain that it could not verify. Otherwise a later read fails.
    tls.getPeerCertificate();
    showPeer(tls, handshake.socket);
    const { certificates } = handshake.flight;
    guards.set(tls, { certificates, sawSession: () => addresses.trust(address), mayLeak: () => false });
  }
}

/** A TLS socket on a stream does not know its peer. */
function showPeer(tls: TLSSocket, { remoteAddress, remoteFamily, remotePort }: Socket): void {
  for (const [name, value] of Object.entries({ remoteAddress, remoteFamily, remotePort })) {
    Object.defineProperty(tls, name, { value });
  }
}
