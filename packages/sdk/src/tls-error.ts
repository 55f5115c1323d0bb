import { EdgeNetworkError, isNamed } from './errors.ts';

/**
 * - `UNTRUSTED`: no trusted CA has issued the certificate of the controller
 * - `EXPIRED`: the certificate of the controller has expired or is not valid yet
 * - `WRONG_HOST`: the certificate of the controller is for another host name
 * - `HANDSHAKE`: the other side ended the handshake, refused the client certificate, or does not use TLS
 */
export type TlsReason = keyof typeof hints;

const hints = {
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

/** The TLS connection to the controller failed. It is an `EdgeNetworkError`, too. Browsers do not tell the reason. */
export class EdgeTlsError extends EdgeNetworkError {
  override readonly name = 'EdgeTlsError';
  readonly reason: TlsReason;
  /** How to mend it. */
  readonly hint: string;

  constructor(target: string, reason: TlsReason, code: string, cause: unknown) {
    super(target, code, cause);
    this.reason = reason;
    this.hint = hints[reason];
    this.message += `; ${this.hint}`;
  }
}

/** Converts an error of the platform's `fetch`. */
export function networkError(target: string, cause: unknown): EdgeNetworkError {
  const code = platformCode(cause);
  const reason = reasonOf(code);
  if (code === null || reason === null) return new EdgeNetworkError(target, code, cause);
  return new EdgeTlsError(target, reason, code, cause);
}

/** Whether the client refused the certificate of the server. Another try would end in the same way. */
export function isCertificateRefused(cause: unknown): boolean {
  const reason = reasonOf(platformCode(cause));
  return reason !== null && reason !== 'HANDSHAKE';
}

function reasonOf(code: string | null): TlsReason | null {
  if (code === null) return null;
  return reasons[code] ?? (code.startsWith('ERR_SSL_') ? 'HANDSHAKE' : null);
}

/** True for an `EdgeTlsError`. With `reason`: true only if the error has this reason. */
export function isEdgeTlsError<R extends TlsReason = TlsReason>(
  error: unknown,
  reason?: R,
): error is EdgeTlsError & { readonly reason: R } {
  return isNamed(error, 'EdgeTlsError') && (reason === undefined || (error as EdgeTlsError).reason === reason);
}

/** The first error code in the chain of causes: platforms wrap the reason of a failed fetch. */
function platformCode(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return null;
}
