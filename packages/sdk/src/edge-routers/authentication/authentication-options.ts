import { EdgeConnectionError } from '../connection-error.ts';
import type { RouterParts } from '../router-parts.ts';
import type { ExpectedPeer } from './peer-identity.ts';

/**
 * How sure `edge.dial` and `edge.bind` are of the other end.
 *
 * @example
 * const options: AuthenticationOptions = { authenticate: true, peer: identityId };
 * const connection = await edge.dial('payroll', options);
 */
export interface AuthenticationOptions {
  /**
   * Whether both ends prove with the certificates of their identities who they are, so that no router can read or change what they send, or
   * end it. The service must require encryption, and the client have a certificate (`fetch: mtls(…)`). That of an API session is none.
   *
   * - `true`: an end that cannot prove it is refused. Clients other than this SDK cannot.
   * - `'if-possible'`: such an end is accepted, and `connection.peer` is `null`. A router can make each end seem to be one of these.
   * - `false`, the default: nobody proves anything.
   */
  readonly authenticate?: boolean | 'if-possible' | undefined;
  /**
   * Who the other end may be. `edge.dial` with `authenticate: true` needs it: any identity of the network has a certificate, that of a
   * router's owner, too. Without it, `edge.bind` accepts any identity, and `connection.peer` says which one it is.
   */
  readonly peer?: ExpectedPeer | undefined;
  /**
   * PEM of the CAs that the certificate of the other end must be from, instead of those of the network. `peer` must then be a function that
   * looks at the certificate.
   */
  readonly peerCa?: string | readonly string[] | undefined;
}

type Client = Pick<RouterParts, 'identity'>;

/** Throws `TypeError` for options that contradict each other, or that a client without a certificate cannot fulfill. */
export function checkAuthentication({ authenticate, peer, peerCa }: AuthenticationOptions, client: Client): void {
  if (![undefined, true, false, 'if-possible'].includes(authenticate)) {
    throw new TypeError(`authenticate must be true, false or "if-possible", got "${authenticate}"`);
  }
  if (!authenticate && (peer !== undefined || peerCa !== undefined)) {
    throw new TypeError('peer and peerCa need authenticate');
  }
  if (peerCa !== undefined && typeof peer !== 'function') {
    throw new TypeError('peerCa needs a function as peer: certificates of other CAs name no identity of the network');
  }
  if (authenticate === true && client.identity() === null) {
    throw new TypeError('authenticate needs a certificate of the identity: create the client with `fetch: mtls(…)`');
  }
}

/** Throws `TypeError` also when nothing says who may answer. */
export function checkDialAuthentication(options: AuthenticationOptions, client: Client): void {
  checkAuthentication(options, client);
  if (options.authenticate === true && options.peer === undefined) {
    throw new TypeError('authenticate needs peer: ids of identities that may answer, or a function');
  }
}

/** Throws `EdgeConnectionError` when there are no keys that the certificates could sign. */
export function checkEncryption(isEncrypted: boolean, { authenticate }: AuthenticationOptions): void {
  if (authenticate !== true || isEncrypted) return;
  throw new EdgeConnectionError('NOT_AUTHENTICATED', { reason: 'the service does not require encryption' });
}

/** Whether this end proves who it is to one that does, too. */
export function canProve({ authenticate = false }: AuthenticationOptions, client: Client): boolean {
  return authenticate !== false && client.identity() !== null;
}
