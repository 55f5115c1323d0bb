import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { Server as TlsServer } from 'node:tls';
import { UnfinishedHandshakes } from '@edge-controller/handshake-guard';
import { invalidField } from '../core/api-error.ts';
import type { Logger } from '../core/log/log.ts';
import { maxHeaderSize } from '../core/start/max-header-size.ts';
import { acceptWaiting } from '../core/turns/accept-waiting.ts';
import { RequestQueue } from '../core/turns/request-queue.ts';
import { endWithError, reasonOf } from './client-error.ts';
import { guardServer } from './guard-server.ts';
import { peerAddress } from './middleware/client-address.ts';
import { maxBodyLength } from './operations/mounted.ts';
import type { OnRefused } from './refused-connection.ts';
import type { ServerKeys } from './tls-options.ts';
import { tlsOptions } from './tls-options.ts';

export interface ListenOptions {
  /** What responds to the requests. */
  readonly handle: RequestListener;
  readonly tls: ServerKeys;
  /** How it speaks TLS with these keys. Default: it asks for a client certificate. */
  readonly tlsOptions?: (keys: ServerKeys) => TlsOptions;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly log: Logger;
  readonly onRefused: OnRefused;
  /** Milliseconds in which the headers of a request must arrive; default 10,000. */
  readonly headersTimeout?: number;
  /** Milliseconds in which a whole request must arrive; default 30,000. */
  readonly requestTimeout?: number;
}

/** Milliseconds in which an idle client may still send a request that was on its way when the listener closed. */
const lameDuck = 500;
/** Milliseconds in which new connections are accepted when there is always another one. */
const acceptTime = 300;

/** Serves an application over HTTPS (HTTP/1.1). Rejects when the address cannot be bound. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const listener = new Listener(options);
  await listener.open();
  return listener;
}

export class Listener {
  readonly #options: ListenOptions;
  readonly #server: Server;
  readonly #queue: RequestQueue;
  readonly #handshakes: UnfinishedHandshakes;
  readonly #sockets = new Set<Duplex>();
  #port = 0;
  #closing: Promise<void> | undefined;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#server = createTlsServer(options);
    guardServer(this.#server, options.onRefused);
    this.#queue = new RequestQueue(this.#server);
    this.#handshakes = new UnfinishedHandshakes(this.#server);
    this.#listenForRequests();
    this.#listenForConnections();
  }

  /** The port that is bound. */
  get port(): number {
    return this.#port;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  async open(): Promise<void> {
    const { host, port, log } = this.#options;
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    server.on('error', (error) => log.error({ err: error }, 'listener failed'));
    const address = server.address();
    this.#port = typeof address === 'object' && address ? address.port : port;
  }

  /** New connections get this server certificate. */
  renew(keys: ServerKeys): void {
    const { tlsOptions: optionsOf = tlsOptions } = this.#options;
    this.#server.setSecureContext(optionsOf(keys));
  }

  /**
   * Accepts the connections that wait, then no more. Completes the requests that have begun with `Connection: close`,
   * and closes idle connections, and those that are silent in their TLS handshake. After `graceMs` milliseconds it destroys
   * the rest. Resolves when no connection is left. A second call waits for the first.
   */
  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#drain(graceMs);
    return this.#closing;
  }

  #listenForRequests(): void {
    const enqueue = (request: IncomingMessage, response: ServerResponse) =>
      this.#queue.add(response, () => this.#serve(request, response));
    this.#server.on('request', enqueue);
    this.#server.on('checkExpectation', enqueue);
    this.#server.on('checkContinue', (request, response) => {
      this.#queue.add(response, () => {
        // A body that is refused for its length need not be sent at all.
        if (!(Number(request.headers['content-length']) > maxBodyLength)) response.writeContinue();
        this.#serve(request, response);
      });
    });
  }

  #listenForConnections(): void {
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      this.#options.onRefused(error, peerAddress(socket as TLSSocket));
      const reason = reasonOf(error);
      if (reason === null) socket.destroy();
      else this.#queue.fail(socket, (hasBegun) => (hasBegun ? socket.destroy() : endWithError(reason, socket)));
    });
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      endWithError(invalidField('Host', 'Host in header is required'), request.socket);
      return;
    }
    if (this.#closing && !this.#queue.hasWaiting(request.socket)) response.shouldKeepAlive = false;
    this.#options.handle(request, response);
  }

  async #drain(graceMs: number): Promise<void> {
    const server = this.#server;
    const queue = this.#queue;
    queue.close();
    await acceptWaiting(server, Math.min(acceptTime, graceMs));
    // `close` of node:https would destroy idle connections at once, although a request may be on its way.
    const closed = new Promise<void>((resolve) => void TlsServer.prototype.close.call(server, () => resolve()));
    const closeIdle = () => {
      for (const socket of queue.idle()) socket.destroy();
      // Node takes a connection for idle although requests of it wait.
      if (queue.isEmpty()) server.closeIdleConnections();
      else closingIdle = setTimeout(closeIdle, 50);
    };
    let closingIdle = setTimeout(closeIdle, Math.min(lameDuck, graceMs));
    const closeSilent = () => this.#handshakes.closeSilent(Math.min(lameDuck, graceMs));
    closeSilent();
    const closingSilent = setInterval(closeSilent, 50);
    const destroyRest = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
      server.closeAllConnections();
    }, graceMs);
    await closed;
    clearTimeout(closingIdle);
    clearInterval(closingSilent);
    clearTimeout(destroyRest);
    // Stops the timer that looks for slow connections.
    server.close();
  }
}

function createTlsServer({ tls, headersTimeout = 10_000, requestTimeout = 30_000, ...options }: ListenOptions): Server {
  const { tlsOptions: optionsOf = tlsOptions } = options;
  const server = createServer({
    ...optionsOf(tls),
    maxHeaderSize,
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(2_000, headersTimeout),
    keepAliveTimeout: 5_000,
    // Refused by `Listener`, in the envelope (RFC 9112, 3.2).
    requireHostHeader: false,
  });
  server.maxConnections = 10_000;
  server.maxRequestsPerSocket = 1_000;
  server.setTimeout(60_000);
  return server;
}
