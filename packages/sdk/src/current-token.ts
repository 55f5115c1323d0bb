import { authQueryError } from './auth-query-error.ts';
import type { ClientCore } from './client-core.ts';
import type { CallOptions } from './options.ts';

/** The token of the current session. Throws `EdgeAuthQueryError` `NO_SESSION` without one. */
export async function currentToken({ caller }: ClientCore, options?: CallOptions): Promise<string> {
  const token = await caller.token(options);
  if (token === null) throw authQueryError('NO_SESSION');
  return token;
}
