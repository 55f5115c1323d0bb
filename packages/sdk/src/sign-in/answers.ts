import type { AuthQueryAnswers } from '../api/auth-query.ts';
import type { TokenHolder } from '../requests/current-token.ts';
import { currentToken } from '../requests/current-token.ts';
import type { AuthQueryParts } from './auth-queries.ts';
import { createAuthQueries } from './auth-queries.ts';

/** Answers the queries of the current session. */
export function createAnswers(parts: AuthQueryParts & { readonly stored: TokenHolder }): AuthQueryAnswers {
  const { stored } = parts;
  const queries = createAuthQueries(parts);
  return {
    totp: async (code, options) => queries.totp(await currentToken(stored, options), code, options),
    extJwt: async (jwt, options) => queries.extJwt(await currentToken(stored, options), jwt, options),
    newPassword: async (change, options) => queries.newPassword(await currentToken(stored, options), change, options),
  };
}
