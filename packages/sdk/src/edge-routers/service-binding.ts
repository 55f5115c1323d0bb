import type { Hosting } from './bind-options.ts';
import type { EdgeConnection } from './edge-connection.ts';

/**
 * A service that this process hosts, on all edge routers of the service that it can reach. It is an async iterable of the connections
 * that come; leaving the loop closes it. What goes wrong on the way to a router, the controller or in the network does not end it: it
 * binds again after pauses of at most 5 seconds.
 *
 * An error of a connection that has no listener does not end the process.
 *
 * @example
 * await using binding = await edge.bind('echo');
 * for await (const connection of binding) connection.pipe(connection);
 */
export interface ServiceBinding extends AsyncIterable<EdgeConnection>, AsyncDisposable {
  /** The name or id, as it was given. */
  readonly service: string;
  /** The addresses of the edge routers that it is bound on now: `tls://router-1.example:3022`. */
  readonly routers: readonly string[];
  /** Why it is bound nowhere, or `null` while it is bound. */
  readonly error: unknown;
  /**
   * Resolves when it has ended by `close`, or by a sign-out. Rejects with the reason when it has ended otherwise: `NO_SESSION` when
   * the API session has ended and nothing replaces it; the reason of the signal; TypeError at `dispose` of the client.
   */
  readonly ended: Promise<void>;
  /** Changes the cost or the precedence, at once and for later binds. Throws `TypeError` for an invalid value. */
  update(hosting: Hosting): void;
  /** Takes no more connections, and closes those that nobody has taken yet. Those that the application has stay open. */
  close(): Promise<void>;
}
