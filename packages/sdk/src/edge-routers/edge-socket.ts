import type { Duplex } from 'node:stream';

/**
 * A stream with those members of `net.Socket` that `node:http` and clients of databases use. What sets up TCP does nothing.
 *
 * @example
 * const socket: EdgeSocket = edge.connect('wiki').setTimeout(10_000);
 * socket.on('timeout', () => socket.destroy());
 */
export interface EdgeSocket extends Duplex {
  /** Whether it is not connected yet. */
  readonly connecting: boolean;
  /** The same as `connecting`. */
  readonly pending: boolean;
  readonly readyState: 'opening' | 'open' | 'readOnly' | 'writeOnly' | 'closed';
  /** Bytes of the application that have come. */
  readonly bytesRead: number;
  /** Bytes of the application that were sent. */
  readonly bytesWritten: number;
  /** Names the circuit in logs: see `circuitId` of a connection. It is no IP address. */
  readonly remoteAddress: string | undefined;
  /** See `setTimeout`. 0: none. */
  readonly timeout: number;
  /** Has no members: there is no address of this machine. */
  address(): Record<string, never>;
  /** Clients of databases call it, and wait for `connect`, which is emitted when it is connected. It connects by itself. */
  connect(...given: unknown[]): this;
  /** Emits `timeout` when nothing was sent or received for this time in milliseconds. 0 ends that. */
  setTimeout(timeout: number, listener?: () => void): this;
  setKeepAlive(...given: unknown[]): this;
  setNoDelay(...given: unknown[]): this;
  /** Destroys it as soon as everything is written. */
  destroySoon(): void;
  /** While it is open, it keeps the process alive. That is the default. */
  ref(): this;
  /** It does not keep the process alive. */
  unref(): this;
}
