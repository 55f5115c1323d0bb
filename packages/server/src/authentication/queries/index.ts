import type { AuthQuery } from '../../sessions/auth-state.ts';
import { extJwt } from './ext-jwt.ts';
import { totp } from './totp/totp-query.ts';

/** All kinds of authentication queries, in the order of the wire. */
export const authQueries: readonly AuthQuery[] = [totp, extJwt];
