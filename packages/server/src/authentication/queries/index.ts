import type { AuthQuery } from '../../sessions/auth-state.ts';
import { extJwt } from './ext-jwt.ts';
import { totp } from './totp/totp-query.ts';

/** Every kind of authentication query, in the order in which the wire lists them. */
export const authQueries: readonly AuthQuery[] = [totp, extJwt];
