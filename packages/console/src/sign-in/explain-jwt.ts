import { isEdgeApiError, isEdgeTokenError, isWrongCredentials } from '@edge-controller/sdk';
import { explainError } from '../api/explain-error.ts';

const challenges = {
  missing: 'No enabled signer has issued this token, or nobody here is the person in it who may sign in with it.',
  expired: 'The token has expired. Get a new one.',
  invalid: 'The token is not valid: its signature, its audience or its dates are wrong.',
};

const tokenErrors = {
  NO_TOKEN: 'There is no token.',
  NOT_A_JWT:
    'This is not a JWT. When a provider has issued it, the signer needs the target token “ID”, or the provider an audience.',
  REFUSED: 'The controller does not accept this token: it is of another signer, or of somebody else.',
};

/** Why a JWT does not sign in, for a person. */
export function explainJwt(error: unknown): string {
  if (isEdgeTokenError(error)) return tokenErrors[error.code];
  if (isEdgeApiError(error) && error.challenge !== null) return challenges[error.challenge.error];
  if (isWrongCredentials(error)) return 'The controller does not accept this token.';
  return explainError(error).text;
}
