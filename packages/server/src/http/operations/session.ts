import type { Operation } from '@edge-controller/shared-types';
import { ApiError } from '../../api-error.ts';
import type { Credentials, Services } from '../../call.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import { readCredentials } from '../credentials.ts';
import type { Middleware } from '../request-state.ts';

/** Longer tokens are invalid without a look into the store. */
const maxTokenLength = 128;
const noToken = 'no matching token was provided';

export interface SessionOptions {
  readonly services: Services;
  /** Names in lower case, in the order in which they count. The first is the one that clients are told. */
  readonly sessionHeaders: readonly string[];
  /** Reads, touches and evaluates the API session of the credentials; `null`: there is no live one. */
  readonly resolveSession: (credentials: Credentials, services: Services) => Promise<ActiveSession | null>;
}

/**
 * Reads the credentials of the request and, unless anyone may call the operation, the API session that they name: 401
 * when there is none. A bad session does not matter where none is needed.
 */
export function session({ access }: Operation, options: SessionOptions): Middleware {
  const { services, sessionHeaders, resolveSession } = options;
  const { missing, invalid } = challenges(sessionHeaders[0] ?? '');
  return async (ctx, next) => {
    const credentials = readCredentials(ctx.req, sessionHeaders);
    ctx.state.credentials = credentials;
    if (access === 'anyone') return next();
    const { sessionToken } = credentials;
    if (sessionToken === null) {
      const cause = { code: 'UNHANDLED', message: 'unauthenticated for invalid credentials' };
      throw new ApiError('UNAUTHORIZED', { cause, headers: { 'WWW-Authenticate': missing } });
    }
    const found = sessionToken.length <= maxTokenLength ? await resolveSession(credentials, services) : null;
    if (found === null) throw new ApiError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': invalid } });
    ctx.state.session = found;
    return next();
  };
}

/** The values of `WWW-Authenticate`, exactly as existing clients know them. */
function challenges(scheme: string): { missing: string; invalid: string } {
  const challenge = (name: string, realm: string, error: string, description: string) =>
    `${name} realm="${realm}" error="${error}" error_description="${description}"`;
  return {
    missing: [
      challenge(scheme, scheme, 'missing', noToken),
      challenge('Bearer', 'openziti-oidc', 'missing', noToken),
    ].join(','),
    invalid: challenge(scheme, scheme, 'invalid', 'token is invalid'),
  };
}
