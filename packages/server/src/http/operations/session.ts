import { guards } from '@edge-controller/handshake-guard';
import type { Operation } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import type { Credentials } from '../../core/call.ts';
import { tokenHash } from '../../core/secrets/ids.ts';
import { addressGroup } from '../../core/text/address-group.ts';
import { challenge } from '../../core/text/challenge.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import type { Dependencies } from '../../sessions/dependencies.ts';
import type { TokenUse } from '../../sessions/token-uses.ts';
import { readCredentials } from '../credentials.ts';
import type { Middleware } from '../request-state.ts';
import { requestIdOf } from '../request-state.ts';

/** Longer tokens are invalid without a read of the store. */
const maxTokenLength = 128;

export interface SessionOptions {
  readonly dependencies: Dependencies;
  /** Names in lower case, in the order in which they count. The first is the one that clients get to know. */
  readonly sessionHeaders: readonly string[];
  /** Reads and evaluates the API session of the credentials; `null`: there is no live one. Only `touch` restarts its timeout. */
  readonly resolveSession: (
    credentials: Credentials,
    dependencies: Dependencies,
    read: 'touch' | 'peek',
  ) => Promise<ActiveSession | null>;
  /** Called before an act with a token that an administrator has read; resolves when it is recorded. Default: nobody records it. */
  readonly recordTokenUse?: (use: TokenUse) => Promise<void>;
}

/**
 * Reads the credentials of the request, and the API session that they name: 401 when there is none. An operation for `anyone`
 * does not read the session.
 */
export function session({ access, query, endsSession }: Operation, options: SessionOptions): Middleware {
  const { dependencies, sessionHeaders, resolveSession, recordTokenUse } = options;
  const mayPeek = query !== undefined && 'touch' in query.shape;
  const { missing, invalid, malformed } = challenges(sessionHeaders[0] ?? '');
  return async (ctx, next) => {
    const credentials = readCredentials(ctx.req, sessionHeaders);
    ctx.state.credentials = credentials;
    if (access === 'anyone') return next();
    const { sessionToken, bearerTokens } = credentials;
    if (sessionToken === null) {
      const cause = { code: 'UNHANDLED', message: 'unauthenticated for invalid credentials' };
      const header = areMalformed(bearerTokens) ? malformed : missing;
      throw new ApiError('UNAUTHORIZED', { cause, headers: { 'WWW-Authenticate': header } });
    }
    const read = mayPeek && isPeek(ctx.querystring) ? 'peek' : 'touch';
    const isPossible = sessionToken.length <= maxTokenLength;
    const resolving = isPossible ? resolveSession(credentials, dependencies, read) : null;
    const found = await (endsSession ? resolving?.catch(recordSignOut(dependencies, sessionToken, ctx.ip)) : resolving);
    if (!found) throw new ApiError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': invalid } });
    ctx.state.session = found;
    if (recordTokenUse && found.record.tokenReadBy !== null) {
      await recordTokenUse({ session: found, clientAddress: ctx.ip, requestId: () => requestIdOf(ctx) });
    }
    guards.get(ctx.req.socket)?.sawSession?.();
    return next();
  };
}

const isUnavailable = (error: unknown) => error instanceof ApiError && error.code === 'STORE_UNAVAILABLE';

/** The response stays 503: another controller, which can read the session, may accept it for a moment. */
function recordSignOut(
  { unreadSignOuts }: Dependencies,
  token: string,
  address: string,
): (error: unknown) => Promise<never> {
  return async (error) => {
    // When SQL cannot be reached, either, nobody can record it.
    if (isUnavailable(error))
      await unreadSignOuts.record(tokenHash(token), addressGroup(address)).catch(() => undefined);
    throw error;
  };
}

/** Read before the query is checked: the session comes first on the wire. */
function isPeek(query: string): boolean {
  return new URLSearchParams(query).getAll('touch').at(-1) === 'false';
}

/** The values of `WWW-Authenticate` by what the request has. */
function challenges(scheme: string) {
  const session = { scheme, realm: scheme };
  const oidc = { scheme: 'Bearer', realm: 'openziti-oidc' };
  return {
    missing: [session, oidc].map((kind) => challenge({ ...kind, error: 'missing' })).join(','),
    invalid: challenge({ ...session, error: 'invalid' }),
    malformed: challenge({ ...oidc, error: 'invalid' }),
  };
}

/**
 * Whether no token has the form of a JWT. Without a session, a JWT of another issuer counts as a missing credential, not as a
 * malformed one.
 */
function areMalformed(tokens: readonly string[]): boolean {
  return tokens.length > 0 && !tokens.some((token) => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token));
}
