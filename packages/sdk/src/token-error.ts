import { isNamed } from './errors.ts';

type TokenErrorCode = keyof typeof texts;

const texts = {
  NO_TOKEN: 'there is no JWT: getToken returned null',
  NOT_A_JWT: 'getToken returned something that is not a JWT; access tokens of some providers are no JWTs',
  REFUSED: 'the controller did not accept the JWT',
};

/** A JWT cannot be used. The error never contains it. */
export class EdgeTokenError extends Error {
  override readonly name = 'EdgeTokenError' as const;
  /**
   * - `NO_TOKEN`: `getToken` returned `null`, and the sign-in or the answer needs a JWT
   * - `NOT_A_JWT`: `getToken` returned something else. Providers may issue access tokens that are no JWTs: then give the
   *   signer the `targetToken` `ID`, or ask the provider for an access token of the `audience`
   * - `REFUSED`: the controller still asks for a JWT after the answer: the signer does not accept this one, or it
   *   belongs to another identity
   */
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode) {
    super(`${texts[code]} (${code})`);
    this.code = code;
  }
}

/** True for an `EdgeTokenError`. With `code`: true only if the error has this code. */
export function isEdgeTokenError<C extends TokenErrorCode = TokenErrorCode>(
  error: unknown,
  code?: C,
): error is EdgeTokenError & { readonly code: C } {
  return isNamed(error, 'EdgeTokenError') && (code === undefined || (error as EdgeTokenError).code === code);
}
