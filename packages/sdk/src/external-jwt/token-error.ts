import { EdgeTokenError } from '../already-loaded.ts';
import type { TokenErrorCode } from '../errors/errors.ts';

const texts: Readonly<Record<TokenErrorCode, string>> = {
  NO_TOKEN: 'there is no JWT: getToken returned null',
  NOT_A_JWT: 'getToken returned something that is not a JWT; access tokens of some providers are no JWTs',
  REFUSED: 'the controller did not accept the JWT',
};

/** The text is not in the class, because most pages never need it. */
export function tokenError(code: TokenErrorCode): EdgeTokenError {
  return new EdgeTokenError(code, texts[code]);
}
