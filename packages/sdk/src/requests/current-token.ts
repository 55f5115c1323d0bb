import type { CallOptions } from '../api/call-options.ts';
import { authQueryError } from '../errors/auth-query-error.ts';

/** Whoever knows the session of a client. */
export interface TokenHolder {
  token(options?: CallOptions): Promise<string | null>;
}

/** The token of the current session. Throws `EdgeAuthQueryError` `NO_SESSION` without one. */
export async function currentToken(holder: TokenHolder, options?: CallOptions): Promise<string> {
  const token = await holder.token(options);
  if (token === null) throw authQueryError('NO_SESSION');
  return token;
}
