import type { CallOptions } from '../api/call-options.ts';
import type { Authenticate, CurrentApiSessionDetail } from '../api/generated/entities.ts';
import type { EdgeClientOptions } from '../api/options.ts';
import type { Session } from '../api/session.ts';
import type { ClientInfo, SignIn, SignInOptions } from '../api/sign-in.ts';
import type { OperationRow } from '../calls/operation-row.ts';
import { authenticatePath, callOf } from '../calls/own-calls.ts';
import type { PreparedCall } from '../calls/prepared-call.ts';
import { authQueryError } from '../errors/auth-query-error.ts';
import { EdgeInvalidResponseError } from '../errors/errors.ts';
import type { SecondaryTokens } from '../external-jwt/secondary-tokens.ts';
import type { signInWithJwt } from '../external-jwt/sign-in-with-jwt.ts';
import { checkNames } from '../lib/check-names.ts';
import type { Clock } from '../lib/clock.ts';
import type { AuthQueryParts, createAuthQueries } from './auth-queries.ts';

const signInRow: OperationRow = { method: 'POST', path: authenticatePath, access: 'anyone', result: 'detail' };

/** What a sign-in with queries, or with a JWT, needs. */
interface SignInCode {
  readonly createAuthQueries: typeof createAuthQueries;
  readonly signInWithJwt: typeof signInWithJwt;
}

/** What a sign-in needs of a client. */
interface SignInParts extends AuthQueryParts {
  readonly options: Pick<EdgeClientOptions, 'onAuthQuery' | 'sdkInfo'>;
  readonly clock: Clock;
  readonly manager: AuthQueryParts['manager'] & {
    /** Begins a new session. `null`: a listener has ended it. */
    begin(detail: CurrentApiSessionDetail): Promise<Session | null>;
    whileSigningIn<T>(token: string, run: () => Promise<T>): Promise<T>;
  };
  readonly secondary: AuthQueryParts['secondary'] & {
    current(): Promise<Pick<SecondaryTokens, 'isRejected'> | null>;
  };
  readonly caller: {
    perform(
      api: 'client',
      call: PreparedCall,
      credentials: { token?: string; jwt?: string | undefined },
    ): Promise<unknown>;
    endSession(token: string): void;
  };
  readonly sender: { target(api: 'client', path: string): string };
  /** Loads what few sign-ins need. */
  readonly loadRest: () => Promise<SignInCode>;
}

/** `isWanted`: whether nobody has signed out since the sign-in began. */
export function createSignIn(parts: SignInParts, isWanted: () => boolean): SignIn {
  const { caller, manager, clock, secondary, sender, loadRest } = parts;

  async function authenticate(method: string, body: Authenticate, options: CallOptions, jwt?: string) {
    checkNames(options, ['onAuthQuery', 'signal', 'timeout'], 'option');
    if (!isWanted()) throw authQueryError('NO_SESSION');
    const call = callOf(signInRow, options, body, `?method=${method}`);
    const detail = (await caller.perform('client', call, { jwt })) as CurrentApiSessionDetail;
    if (!detail.token) throw new EdgeInvalidResponseError(sender.target('client', authenticatePath), 200);
    return detail;
  }

  async function begin(detail: CurrentApiSessionDetail): Promise<Session> {
    const session = await replaceSession(parts, detail);
    if (session === null || !isWanted()) throw authQueryError('NO_SESSION');
    return session;
  }

  async function open(detail: CurrentApiSessionDetail, { onAuthQuery, ...options }: SignInOptions): Promise<Session> {
    const handler = onAuthQuery ?? parts.options.onAuthQuery;
    const needsOtherJwt = (await secondary.current())?.isRejected() === true;
    if (!isWanted()) {
      caller.endSession(detail.token);
      throw authQueryError('NO_SESSION');
    }
    if (handler === undefined && !needsOtherJwt) return begin(detail);
    return manager.whileSigningIn(detail.token, async () => {
      const begun = await begin(detail);
      if (begun.state === 'full' && !needsOtherJwt) return begun;
      const { createAuthQueries } = await loadRest();
      const queries = createAuthQueries(parts);
      const session = needsOtherJwt ? await queries.reload(detail.token, options) : begun;
      if (handler === undefined || session.state === 'full') return session;
      return queries.answerAll(detail.token, handler, options);
    });
  }

  const ownInfo = parts.options.sdkInfo ?? { type: '@edge-controller/sdk' };
  const clientInfo = ({ configTypes, envInfo, sdkInfo = ownInfo }: ClientInfo) => ({ configTypes, envInfo, sdkInfo });

  return {
    password: async ({ username, password, ...info }, options = {}) => {
      const body = { username, password, ...clientInfo(info) };
      return open(await authenticate('password', body, options), options);
    },
    certificate: async (info = {}, options = {}) => {
      return open(await authenticate('cert', clientInfo(info), options), options);
    },
    extJwt: async ({ configTypes, envInfo, sdkInfo, ...credentials }, options = {}) => {
      const { signInWithJwt } = await loadRest();
      const given = 'token' in credentials ? String(credentials.token ?? '') : credentials.getToken;
      const body = clientInfo({ configTypes, envInfo, sdkInfo });
      const send = (jwt: string) => authenticate('ext-jwt', body, options, jwt);
      return open(await signInWithJwt({ given, clock, signal: options.signal, send }), options);
    },
  };
}

/** Begins a session, and ends the one before it: nobody would end it any more. `null`: a listener has ended the new one. */
async function replaceSession(
  { manager, caller }: Pick<SignInParts, 'manager' | 'caller'>,
  detail: CurrentApiSessionDetail,
): Promise<Session | null> {
  const before = manager.token();
  const session = await manager.begin(detail);
  if (before !== null && before !== detail.token) caller.endSession(before);
  return session;
}
