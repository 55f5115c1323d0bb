import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import { createServer } from 'node:tls';
import { peerOf } from '@edge-controller/handshake-guard';
import type { Logger } from '../core/log/log.ts';
import { guardServer } from '../http/guard-server.ts';
import { peerAddress } from '../http/middleware/client-address.ts';
import type { OnRefused } from '../http/refused-connection.ts';
import type { ServerKeys } from '../http/tls-options.ts';
import { tlsOptions } from '../http/tls-options.ts';

/** Connections that no router has said hello on yet. A new one takes the place of the oldest. */
const maxUnauthenticated = 500;

interface Options {
  /** `host:port`; the port 0 is any free one. */
  readonly bind: string;
  readonly tls: ServerKeys;
  readonly log: Logger;
  readonly onRefused: OnRefused;
  /** A connection whose handshake is complete. Its certificate is not verified yet: `onKnown` says that it is that of a router. */
  readonly onConnection: (socket: TLSSocket, onKnown: () => void) => void;
}

/** Listens for routers: TLS without HTTP. */
export class ControlListener {
  readonly #options: Options;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** By their peers, the oldest first. */
  readonly #unauthenticated = new Map<string, Socket>();

  constructor(options: Options) {
    this.#options = options;
    this.#server = createServer({ ...optionsOf(options.tls), handshakeTimeout: 5_000 });
    guardServer(this.#server, options.onRefused);
    this.#server.on('connection', (socket) => this.#meet(socket));
    this.#server.on('secureConnection', (socket) => {
      options.onConnection(socket, () => this.#unauthenticated.delete(peerOf(socket)));
    });
    this.#server.on('tlsClientError', (error, socket) => {
      options.onRefused(error, peerAddress(socket));
      // When a handshake takes too long, Node leaves its connection open.
      socket.destroy();
    });
  }

  #meet(socket: Socket): void {
    // On the connection below TLS: a guard may stand between both. Without it, messages wait for 40 ms.
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 10_000);
    const peer = peerOf(socket);
    this.#sockets.add(socket);
    this.#unauthenticated.set(peer, socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#unauthenticated.get(peer) === socket) this.#unauthenticated.delete(peer);
    });
    const [oldest] = this.#unauthenticated.values();
    if (this.#unauthenticated.size > maxUnauthenticated) oldest?.destroy();
  }

  /** Rejects when the address cannot be bound. Resolves to the port. */
  async open(): Promise<number> {
    const { bind, log } = this.#options;
    const colon = bind.lastIndexOf(':');
    const host = bind.slice(0, colon).replace(/^\[|\]$/g, '');
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(Number(bind.slice(colon + 1)), host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#server.on('error', (error) => log.error({ err: error }, 'listener for routers failed'));
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** New connections get this server certificate. */
  renew(keys: ServerKeys): void {
    this.#server.setSecureContext(optionsOf(keys));
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function optionsOf(keys: ServerKeys) {
  return { ...tlsOptions(keys), ALPNProtocols: ['ziti-ctrl'] };
}
