import type { TlsReason } from './errors.ts';
import { EdgeNetworkError, EdgeTlsError, platformCode } from './errors.ts';

const hints: Readonly<Record<TlsReason, string>> = {
  UNTRUSTED: 'pass the CA bundle of this controller as `ca` or `caFile`, or check that it is the right controller',
  EXPIRED: 'check the clock of this machine; if it is right, the controller needs a new server certificate',
  WRONG_HOST: 'use a host name that is in the certificate of the controller, or add this one to the controller',
  HANDSHAKE: 'check the port, the client certificate and its key; a proxy between may have closed the connection',
};

const reasons: Readonly<Record<string, TlsReason>> = {
  ...{ SELF_SIGNED_CERT_IN_CHAIN: 'UNTRUSTED', DEPTH_ZERO_SELF_SIGNED_CERT: 'UNTRUSTED', CERT_UNTRUSTED: 'UNTRUSTED' },
  ...{ UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'UNTRUSTED', UNABLE_TO_GET_ISSUER_CERT: 'UNTRUSTED' },
  ...{ UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'UNTRUSTED', CERT_SIGNATURE_FAILURE: 'UNTRUSTED', INVALID_CA: 'UNTRUSTED' },
  ...{ CERT_HAS_EXPIRED: 'EXPIRED', CERT_NOT_YET_VALID: 'EXPIRED' },
  ERR_TLS_CERT_ALTNAME_INVALID: 'WRONG_HOST',
  ...{ EPROTO: 'HANDSHAKE', TLS_HANDSHAKE_CLOSED: 'HANDSHAKE' },
};

/** The connection through a proxy could not be made. */
const proxyCode = 'ERR_PROXY_TUNNEL';

/** Converts an error of the platform's `fetch`. */
export function networkError(target: string, cause: unknown): EdgeNetworkError {
  const code = platformCode(cause);
  const reason = reasonOf(code);
  if (code !== null && reason !== null) return new EdgeTlsError(target, [reason, hints[reason]], code, cause);
  const error = new EdgeNetworkError(target, code, cause);
  if (code === proxyCode) error.message += `; ${proxyMessage(cause)}`;
  return error;
}

/** Node says which proxy did not open the connection, and its response. Names and passwords are not in this text. */
function proxyMessage(cause: unknown): string {
  const error = cause instanceof Error && platformCode(cause.cause) === proxyCode ? cause.cause : cause;
  return error instanceof Error ? error.message : '';
}

/** Whether the client refused the certificate of the server. Another try would end in the same way. */
export function isCertificateRefused(code: string): boolean {
  const reason = reasonOf(code);
  return reason !== null && reason !== 'HANDSHAKE';
}

/** Whether the connection was not made, so that the controller has not received the request. */
export function isUnsent(code: string): boolean {
  const isRefused = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(code);
  return isRefused || code === proxyCode || isCertificateRefused(code);
}

function reasonOf(code: string | null): TlsReason | null {
  if (code === null) return null;
  return reasons[code] ?? (code.startsWith('ERR_SSL_') ? 'HANDSHAKE' : null);
}
