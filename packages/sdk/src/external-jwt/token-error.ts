import type { GetToken } from '../api/get-token.ts';
import type { TokenErrorCode } from '../errors/errors.ts';
import { EdgeTokenError } from '../errors/errors.ts';

/** What the application gives: the JWT (`token`) or a function that returns one (`getToken`). */
export type GivenJwt = string | GetToken;

const texts: Readonly<Record<TokenErrorCode, { readonly token: string; readonly getToken: string }>> = {
  NO_TOKEN: { token: 'there is no JWT: token is empty', getToken: 'there is no JWT: getToken returned null' },
  NOT_A_JWT: {
    token: 'token is not a JWT; access tokens of some providers are no JWTs',
    getToken: 'getToken returned something that is not a JWT; access tokens of some providers are no JWTs',
  },
  REFUSED: {
    token: 'the controller did not accept the JWT in token',
    getToken: 'the controller did not accept the JWT that getToken returned',
  },
};

/** The text names what was given. It is not in the class, because most pages never need it. */
export function tokenError(code: TokenErrorCode, given: GivenJwt): EdgeTokenError {
  return new EdgeTokenError(code, texts[code][typeof given === 'string' ? 'token' : 'getToken']);
}
