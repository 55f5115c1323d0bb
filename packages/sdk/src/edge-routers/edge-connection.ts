import type { PeerIdentity } from './authentication/peer-identity.ts';
import type { EdgeSocket } from './edge-socket.ts';

/**
 * A connection to the other end of a service: a stream in both directions, with what `net.Socket` has for HTTP and clients of
 * databases. `Duplex.toWeb(connection)` makes WHATWG streams of it.
 *
 * - `end()` ends the side that writes, and the other end reads an end. The connection closes when both sides have ended. With
 *   `allowHalfOpen: false` it ends its side by itself when the other end has ended its own. `destroy()` closes at once: data that
 *   is still on its way is lost.
 * - What comes while nobody reads is kept, up to 4 MiB. After that, the connections that share the channel wait, too. When nobody
 *   reads it for 10 seconds while others wait, it is destroyed with `NOT_READ`.
 * - When the other end closes it without an end of its side, all that it has sent is read, and then `error` is emitted: `CLOSED`.
 *   Routers do not tell whether that was its wish (Go: `Close` without `CloseWrite`), or whether a right was taken away or something has
 *   failed on the way. So if only an end says what is complete, this is not.
 * - Without `authenticate`, each router on the way can end the data of either side, also when they are encrypted: that looks like an end
 *   of the other side. With it, that is an error: `TRUNCATED`.
 *
 * @example
 * const connection = await edge.dial('wiki');
 * connection.end('hello');
 * for await (const chunk of connection) process.stdout.write(chunk);
 */
export interface EdgeConnection extends EdgeSocket {
  /** The name of the service. */
  readonly service: string;
  /** The id of the circuit through the network, as administrators and logs of routers show it. */
  readonly circuitId: string;
  /** What the dialing end says its name is. Nobody has verified it: never decide by it who may do what. */
  readonly callerId: string;
  /** Who the other end has proven to be. `null` without `authenticate`, and with `'if-possible'` when it cannot. */
  readonly peer: PeerIdentity | null;
  /**
   * What the dialing end has sent along (`appData` of `edge.dial`). Empty without any. The routers and the controller can read it; unless
   * `peer` is there, they can change it, too.
   */
  readonly appData: Uint8Array;
  /** Why the router or the other end has closed the connection, or `null`. */
  readonly closeReason: string | null;
}
