import type { Settings } from '../../../core/config/schema.ts';
import type { AuthQuery } from '../../../sessions/auth-state.ts';
import { extJwt } from './ext-jwt.ts';
import { createNewPasswordQuery } from './new-password.ts';
import { createTotpQuery } from './totp/totp-query.ts';

/** All kinds of authentication queries, in the order in which they are answered. */
export function createAuthQueries(settings: Settings): readonly AuthQuery[] {
  return [createTotpQuery(settings), extJwt, createNewPasswordQuery(settings)];
}
