import { isNamed } from '../errors/error-guards.ts';

/** What is wrong with a connection or a bind: see `EdgeConnectionError`. */
export type ConnectionErrorCode =
  | 'SERVICE_NOT_FOUND'
  | 'NO_ROUTER'
  | 'REFUSED'
  | 'UNAUTHORIZED'
  | 'NOT_ENCRYPTED'
  | 'NOT_AUTHENTICATED'
  | 'CLOSED'
  | 'ROUTER_LOST'
  | 'SESSION_ENDED'
  | 'DAMAGED'
  | 'TRUNCATED'
  | 'NOT_READ';

const texts: Readonly<Record<ConnectionErrorCode, string>> = {
  SERVICE_NOT_FOUND: 'the identity may use no service of this name or id',
  NO_ROUTER: 'none of the edge routers of the service can be reached',
  REFUSED: 'the edge router refused it',
  UNAUTHORIZED:
    'the edge router closed the channel: it does not know the session or the certificate; identities with permissions are known to no router',
  NOT_ENCRYPTED: 'the service requires encryption, and the other end sent no key',
  NOT_AUTHENTICATED: 'the other end has not proven to be the right one',
  CLOSED: 'the connection was closed',
  ROUTER_LOST: 'the channel to the edge router was lost',
  SESSION_ENDED: 'the API session has ended',
  DAMAGED: 'the other end sent what is no message of this connection',
  TRUNCATED: 'the data ended, and not by the wish of the other end',
  NOT_READ: 'nobody read the connection while others waited for their data',
};

const maxReason = 300;

/**
 * A service cannot be dialed or hosted, or a connection ended otherwise than by its two ends.
 *
 * @example
 * try {
 *   await edge.dial('wiki');
 * } catch (error) {
 *   if (isEdgeConnectionError(error, 'REFUSED')) console.log(error.reason); // service … has no terminators
 * }
 */
export class EdgeConnectionError extends Error {
  override readonly name = 'EdgeConnectionError' as const;
  /**
   * - `SERVICE_NOT_FOUND`: the identity may use no service of this name or id
   * - `NO_ROUTER`: none of the edge routers of the service can be reached, or none is online; `reason` has the first
   *   error, and `cause` is an `AggregateError` with all
   * - `REFUSED`: the edge router or the host refused; `reason` has its text: nobody hosts the service, for example
   * - `UNAUTHORIZED`: the edge router knows neither the API session nor the certificate
   * - `NOT_ENCRYPTED`: the service requires encryption, and the other end does not encrypt
   * - `NOT_AUTHENTICATED`: with `authenticate`, the other end has not proven who it is, is somebody else than `peer`, or has refused the
   *   certificate of this end; `reason` says what it was
   * - `CLOSED`: the edge router ended the connection, for example because its session was removed (`reason` has its text), or the
   *   other end closed it before everything was written
   * - `ROUTER_LOST`: the channel to the edge router was lost
   * - `SESSION_ENDED`: the API session has ended, or another one has replaced it
   * - `DAMAGED`: what came was changed on its way, or is no message
   * - `TRUNCATED`: with `authenticate`, somebody on the way has ended the data before the other end did
   * - `NOT_READ`: the connection was full, and nobody read it while other connections waited for their data
   */
  readonly code: ConnectionErrorCode;
  /** What the edge router or the other end said, or a text as above, or `null`. */
  readonly reason: string | null;

  constructor(
    code: ConnectionErrorCode,
    { reason, cause }: { readonly reason?: string; readonly cause?: unknown } = {},
  ) {
    // It may come from anybody.
    const shown = reason?.slice(0, maxReason).replace(/[^\x20-\x7e]/g, '?');
    super(`${texts[code]}${shown ? `: ${shown}` : ''} (${code})`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.reason = shown || null;
  }
}

/**
 * True for an `EdgeConnectionError`. With `code`: true only if the error has this code.
 *
 * @example
 * connection.on('error', (error) => {
 *   if (isEdgeConnectionError(error, 'SESSION_ENDED')) console.log('signed out');
 * });
 */
export function isEdgeConnectionError<C extends ConnectionErrorCode = ConnectionErrorCode>(
  error: unknown,
  code?: C,
): error is EdgeConnectionError & { readonly code: C } {
  return isNamed(error, 'EdgeConnectionError') && (code === undefined || (error as EdgeConnectionError).code === code);
}
