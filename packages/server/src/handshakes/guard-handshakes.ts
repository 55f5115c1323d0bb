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
  /** What limits by address count: the address of a peer, or the network that it is in. */
  readonly groupOf: (socket: Socket) => string;
  /** Hears why a connection from an address has failed. */
  readonly onRefused: (error: Error, address: string) => void;
}

/** A connection whose handshake is read before OpenSSL gets it. */
interface Stranger {
  readonly socket: Socket;
  readonly flight: PeerFlight;
  readonly stream: GuardedStream;
}

/** Milliseconds in which the first message of a handshake must arrive. */
const helloTimeout = 10_000;
const secretLabel = 'CLIENT_HANDSHAKE_TRAFFIC_SECRET';

/**
 * Puts a guard before the TLS handshakes of a server: OpenSSL verifies what a client sends on the main thread, whatever it
 * costs. Call it before `listen`, and before other listeners for connections are added. A connection with a guard costs CPU
 * time with every request, so those of an address where an API session was used have none.
 */
export function guardHandshakes(server: Server, { groupOf, onRefused }: GuardOptions): void {
  const addresses = new KnownAddresses();
  const turns = new HandshakeTurns((address) => addresses.isTrusted(address));
  /** By the random value of the client, which names a connection in the key log. */
  const strangers = new Map<string, Stranger>();
  const [accept] = server.listeners('connection') as [(this: Server, stream: Socket | GuardedStream) => void];

  const guard = (socket: Socket) => {
    const address = groupOf(socket);
    const flight = new PeerFlight('client');
    const timer = setTimeout(() => stream.destroy(), helloTimeout);
    let isBegun = false;
    const begin = () => {
      isBegun = true;
      clearTimeout(timer);
      const { clientRandom } = flight;
      if (clientRandom === undefined || strangers.has(clientRandom)) {
        stream.destroy();
        return;
      }
      strangers.set(clientRandom, { socket, flight, stream });
      stream.once('close', () => strangers.delete(clientRandom));
      accept.call(server, stream);
    };
    const runStep = (step: () => void) => {
      if (!isBegun && !stream.destroyed) begin();
      step();
    };
    const stream = new GuardedStream(socket, {
      flight,
      run(step, work) {
        if (!turns.add(address, { work, isBegun, run: () => runStep(step) })) stream.destroy();
      },
    });
    stream.on('error', (error) => {
      if (error instanceof RefusedHandshake) turns.refuse(address);
      onRefused(error, address);
    });
    stream.once('close', () => clearTimeout(timer));
  };

  server.off('connection', accept);
  server.on('connection', (socket: Socket) => {
    if (addresses.isTrusted(groupOf(socket))) accept.call(server, socket);
    else guard(socket);
  });

  // Nothing is kept: no TLS session is resumed. With this listener Node gives OpenSSL up to 16 KiB at once, and not 1 KiB. OpenSSL
  // fails when it has to wait for more directly after a chain with a wrong signature.
  server.on('newSession', (_id, _session, done) => done());

  const strangerOf = new WeakMap<TLSSocket, Stranger>();
  server.on('keylog', (line: Buffer, tls: TLSSocket) => {
    const { label, clientRandom, secret } = readKeyLog(line);
    const stranger = strangers.get(clientRandom);
    if (!stranger) return;
    strangerOf.set(tls, stranger);
    if (label !== secretLabel) return;
    stranger.flight.decryptWith(secret, tls.getCipher().name);
    stranger.stream.advance();
  });

  server.on('secureConnection', (tls) => {
    const stranger = strangerOf.get(tls);
    const address = groupOf(stranger?.socket ?? tls);
    // This also takes away what OpenSSL has left of a chain that it could not verify. Otherwise a later read fails.
    if (stranger) {
      tls.getPeerCertificate();
      showPeer(tls, stranger.socket);
      const { certificates } = stranger.flight;
      guards.set(tls, { certificates, sawSession: () => addresses.trust(address), mayLeak: () => false });
    } else {
      guards.set(tls, { certificates: null, mayLeak: () => addresses.mayLeak(address) });
      if (wereExpensive(tls)) addresses.distrust(address);
    }
  });
}

/** A TLS socket on a stream does not know its peer. */
function showPeer(tls: TLSSocket, { remoteAddress, remoteFamily, remotePort }: Socket): void {
  for (const [name, value] of Object.entries({ remoteAddress, remoteFamily, remotePort })) {
    Object.defineProperty(tls, name, { value });
  }
}
