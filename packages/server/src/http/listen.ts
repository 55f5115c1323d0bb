import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { invalidField } from '../api-error.ts';
import { acceptWaiting } from '../lib/accept-waiting.ts';
import type { Logger } from '../lib/log.ts';
import { createRequestQueue } from '../lib/request-queue.ts';
import { endWithError, reasonOf } from './client-error.ts';
import { guardServer } from './guard-server.ts';
import { maxBodyLength } from './operations/mounted.ts';
import type { ServerKeys } from './tls-options.ts';
import { tlsOptions } from './tls-options.ts';

export interface ListenOptions {
  /** What responds to the requests. */
  readonly handle: RequestListener;
  readonly tls: ServerKeys;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly log: Logger;
  /** Milliseconds in which the headers of a request must arrive; default 10,000. */
  readonly headersTimeout?: number;
  /** Milliseconds in which a whole request must arrive; default 30,000. */
  readonly requestTimeout?: number;
}

export interface Listener {
  readonly port: number;
  /** New connections get this server certificate. */
  renew(keys: ServerKeys): void;
  /**
   * Accepts the connections that wait, then no more. Completes the requests that have begun with `Connection: close`,
   * and closes idle connections. After `graceMs` milliseconds it destroys the rest. Resolves when no connection is left.
   * A second call waits for the first.
   */
  close(graceMs: number): Promise<void>;
}

/** Milliseconds in which an idle client may still send a request that was on its way when the listener closed. */
const lameDuck = 500;

/** Serves an application over HTTPS (HTTP/1.1). Rejects when the address cannot be bound. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { handle, tls, log, headersTimeout = 10_000, requestTimeout = 30_000 } = options;
  const sockets = new Set<Duplex>();
  let closing: Promise<void> | undefined;

  const server = createServer({
    ...tlsOptions(tls),
    maxHeaderSize: 16_384,
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(2_000, headersTimeout),
    keepAliveTimeout: 5_000,
    // Refused below, in the envelope (RFC 9112, 3.2).
    requireHostHeader: false,
  });
  server.maxConnections = 10_000;
  server.maxRequestsPerSocket = 1_000;
  server.setTimeout(60_000);
  guardServer(server, log);

  const queue = createRequestQueue(server);
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      endWithError(invalidField('Host', 'Host in header is required'), request.socket);
      return;
    }
    if (closing && !queue.hasWaiting(request.socket)) response.shouldKeepAlive = false;
    handle(request, response);
  };
  const enqueue = (request: IncomingMessage, response: ServerResponse) =>
    queue.add(response, () => serve(request, response));
  server.on('request', enqueue);
  server.on('checkExpectation', enqueue);
  server.on('checkContinue', (request, response) => {
    queue.add(response, () => {
      // A body that is refused for its length need not be sent at all.
      if (!(Number(request.headers['content-length']) > maxBodyLength)) response.writeContinue();
      serve(request, response);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    log.debug({ err: error }, 'connection refused');
    const reason = reasonOf(error);
    if (reason === null) socket.destroy();
    else queue.fail(socket, (hasBegun) => (hasBegun ? socket.destroy() : endWithError(reason, socket)));
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error) => log.error({ err: error }, 'listener failed'));

  async function drain(graceMs: number): Promise<void> {
    queue.close();
    await acceptWaiting(server, Math.min(lameDuck, graceMs));
    // `close` of node:https would destroy idle connections at once, although a request may be on its way.
    const closed = new Promise<void>((resolve) => void TlsServer.prototype.close.call(server, () => resolve()));
    const closeIdle = () => {
      for (const socket of queue.idle()) socket.destroy();
      // Node takes a connection for idle although requests of it wait.
      if (queue.isEmpty()) server.closeIdleConnections();
      else closingIdle = setTimeout(closeIdle, 50);
    };
    let closingIdle = setTimeout(closeIdle, Math.min(lameDuck, graceMs));
    const destroyRest = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
    }, graceMs);
    await closed;
    clearTimeout(closingIdle);
    clearTimeout(destroyRest);
    // Stops the timer that looks for slow connections.
    server.close();
  }

  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  return {
    port,
    renew: (keys) => server.setSecureContext(tlsOptions(keys)),
    close(graceMs) {
      closing ??= drain(graceMs);
      return closing;
    },
  };
}
