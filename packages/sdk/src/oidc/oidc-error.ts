import { isNamed } from '../errors/error-guards.ts';

/** Why a sign-in at a provider failed: see `EdgeOidcError`. */
export type OidcErrorCode = keyof typeof texts;

const texts = {
  NOT_CONFIGURED: 'the signer needs an externalAuthUrl with https: and a clientId',
  UNREACHABLE: 'the provider did not respond; in a browser it must allow the origin of the page',
  INVALID_RESPONSE: 'the provider sent an unexpected response',
  REFUSED: 'the provider refused the request',
  NO_TOKEN: 'the provider issued no token of the kind that the signer wants',
};

interface OidcErrorParts {
  /** More about the error, for developers. */
  readonly detail?: string | undefined;
  /** Error code of OAuth. */
  readonly error?: string | undefined;
}

/**
 * A sign-in through an OpenID provider failed. The error contains no token, code or state.
 *
 * @example
 * if (error instanceof EdgeOidcError) console.error(error.code, error.error); // REFUSED access_denied
 */
export class EdgeOidcError extends Error {
  override readonly name = 'EdgeOidcError' as const;
  /**
   * - `NOT_CONFIGURED`: the signer has no `clientId`, or no `externalAuthUrl` with https (http for this machine only)
   * - `UNREACHABLE`: no response from the provider, or the browser blocked it (CORS, Content-Security-Policy)
   * - `INVALID_RESPONSE`: not the metadata of this issuer, a wrong `nonce`, a wrong audience, …
   * - `REFUSED`: the provider refused; `error` has its reason, for example `access_denied`
   * - `NO_TOKEN`: the provider issued no token of the kind that `targetToken` names
   */
  readonly code: OidcErrorCode;
  /** With `REFUSED`: the error code of OAuth. */
  readonly error: string | null;

  constructor(code: OidcErrorCode, { detail, error }: OidcErrorParts = {}) {
    const more = detail ?? error;
    super(`${texts[code]}${more === undefined ? '' : `: ${more}`} (${code})`);
    this.code = code;
    this.error = error ?? null;
  }
}

/**
 * True for an `EdgeOidcError`. With `code`: true only if the error has this code.
 *
 * @example
 * if (isEdgeOidcError(error, 'REFUSED')) render('The provider did not sign you in.');
 */
export function isEdgeOidcError<C extends OidcErrorCode = OidcErrorCode>(
  error: unknown,
  code?: C,
): error is EdgeOidcError & { readonly code: C } {
  return isNamed(error, 'EdgeOidcError') && (code === undefined || (error as EdgeOidcError).code === code);
}
