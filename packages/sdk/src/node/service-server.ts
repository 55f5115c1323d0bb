import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { Server } from 'node:net';
import type { BindOptions } from '../edge-routers/bind-options.ts';
import type { ServiceBinding } from '../edge-routers/service-binding.ts';

/**
 * What serves the connections of a service: a server of `node:http`, `node:http2` or `node:net`, or the function for HTTP requests that
 * `http.createServer` takes: `app.callback()` of Koa, an Express app.
 */
export type ServiceHandler = Server | RequestListener;

/**
 * A server that listens on a service.
 *
 * @example
 * await using hosted: ServiceServer = await edge.server('wiki', app.callback());
 * console.log(hosted.routers); // [ 'tls://router-1.example:3022' ]
 */
export interface ServiceServer
  extends Pick<ServiceBinding, 'service' | 'routers' | 'error' | 'ended' | 'update' | 'close'>,
    AsyncDisposable {
  /** The server that was given, or the one that was made for the function. Its `close` ends the bind, too. */
  readonly server: Server;
}

type Bind = (options: BindOptions) => Promise<ServiceBinding>;

/** Binds a service, and gives its connections to a server. */
export async function serve(bind: Bind, handler: ServiceHandler, options: BindOptions): Promise<ServiceServer> {
  const isOwn = typeof handler === 'function';
  const server = isOwn ? createServer(handler) : handler;
  // As for its connections over TCP: HTTP needs half-open ones.
  const { allowHalfOpen = true } = server as { allowHalfOpen?: boolean };
  const binding = await bind({ allowHalfOpen, ...options });
  // With it, a server of `node:http` begins to watch its time limits.
  if (!server.listening) server.emit('listening');
  server.once('close', () => void binding.close());
  binding.ended.catch((error: unknown) => server.listenerCount('error') > 0 && server.emit('error', error));
  void feed(binding, server);

  async function close(): Promise<void> {
    await binding.close();
    if (isOwn) server.close();
  }

  return {
    ...{ service: binding.service, server, ended: binding.ended, close, [Symbol.asyncDispose]: close },
    get routers() {
      return binding.routers;
    },
    get error() {
      return binding.error;
    },
    update: (hosting) => binding.update(hosting),
  };
}

async function feed(binding: ServiceBinding, server: Server): Promise<void> {
  try {
    for await (const connection of binding) server.emit('connection', connection);
  } catch {
    // `ended` has the reason.
  }
}
