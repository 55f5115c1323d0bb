import type { EdgeConnection } from '../edge-routers/edge-connection.ts';
import type { EdgeSocket } from '../edge-routers/edge-socket.ts';

/**
 * A connection to a service that is there at once, as that of `net.connect`: it emits `connect` when it is open, and `error` when it
 * cannot be opened. What is written before waits.
 *
 * @example
 * const socket: ServiceSocket = edge.connect('wiki');
 * socket.on('connect', () => socket.end('hello'));
 */
export interface ServiceSocket extends EdgeSocket {
  /** The connection, as soon as it is open. */
  readonly connection: EdgeConnection | undefined;
}
