import type { AuthenticationOptions } from './authentication/authentication-options.ts';

/**
 * Options of `edge.dial`.
 *
 * @example
 * const options: DialOptions = { identity: 'printer-4', timeout: 5_000 };
 * const connection = await edge.dial('printers', options);
 */
export interface DialOptions extends AuthenticationOptions {
  /** Ends the attempt. A connection that is open stays: `addAbortSignal` of `node:stream` ends it, too. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the connection must be open. Default: that of the client, 30000. */
  readonly timeout?: number | undefined;
  /** Reaches the host that has bound the service with this `identity`. */
  readonly identity?: string | undefined;
  /** What the host gets together with the connection (`connection.appData`), before any data. */
  readonly appData?: string | Uint8Array | undefined;
  /** Whether the connection stays open for writing when its other end has ended its side. Default true. */
  readonly allowHalfOpen?: boolean | undefined;
}
