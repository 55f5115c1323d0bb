import type { CurrentApiSessionDetail } from '@edge-controller/shared-types';
import type { PreparedCall } from './calls.ts';
import { withDeadline } from './deadline.ts';
import { EdgeAuthQueryError, isEdgeApiError } from './errors.ts';
import { jwtChallenge } from './jwt-challenge.ts';
import type { OperationRow } from './operation-row.ts';
import type { CallOptions } from './options.ts';
import { readResponse } from './read-response.ts';
import type { Recovery } from './recovery.ts';
import { createRecovery } from './recovery.ts';
import type { SecondaryTokens } from './secondary-tokens.ts';
import { codeHeader, secretsOf } from './secrets-of.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { Transport } from './transport.ts';

interface CallerParts {
  readonly keeper: SessionKeeper;
  readonly secondary: SecondaryTokens;
  readonly transport: Transport;
  readonly apis: { readonly client: string; readonly management: string };
  readonly sessionHeader: string;
  readonly timeout: number;
  readonly reauthenticate: (() => Promise<unknown>) | undefined;
}

/** The response to one request. */
interface CallResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** The JWT that the request had as a second factor. */
  readonly jwt: string | null;
  /** Returns the data or throws the error of the response. Updates the current session if the response describes it. */
  readonly read: () => unknown;
}

/** What a call carries instead of the token of the current session. */
export interface Credentials {
  /** The token of a session. The call does not sign in again, and it is not repeated with another session. */
  readonly token?: string;
  /** The JWT of a sign-in. */
  readonly jwt?: string;
}

export interface Caller {
  /** Makes one call. It carries the token of the session, unless the operation has access level `anyone`. */
  perform(api: 'client' | 'management', call: PreparedCall, credentials?: Credentials): Promise<unknown>;
  /** The token of the current session, else the token in the storage if the controller still knows it. */
  token(options: CallOptions): Promise<string | null>;
  readonly recover: Recovery['recover'];
}

const sessionPath = '/current-api-session';
const sessionRow: OperationRow = { method: 'GET', path: sessionPath, access: 'partial', result: 'detail' };
const authenticatePath = '/authenticate';

/** Makes all calls and keeps the session up to date with their responses. */
export function createCaller(parts: CallerParts): Caller {
  const { keeper, secondary, transport, apis, sessionHeader, timeout, reauthenticate } = parts;
  const { recover, endIfInvalid } = createRecovery({ keeper, isAlive, reauthenticate });
  const sessionUrl = apis.client + sessionPath;
  let restoring: Promise<void> | null = null;

  /** Sends one request. When the session shows that it needs another JWT, asks for one and sends it again. */
  async function send(
    url: string,
    call: PreparedCall,
    token: string | null,
    signal: AbortSignal,
    primaryJwt?: string,
  ): Promise<CallResponse> {
    const isSignIn = call.row.path === authenticatePath;
    const needsJwt = isSignIn || (token !== null && !isSignOut(call.row));
    const jwt = needsJwt ? await secondary.get(token, signal) : null;
    const response = await sendOnce(url, call, { token, jwt, primaryJwt }, signal);
    if (!(isSignIn || isCurrentSession(call.row)) || !secondary.rejectIfAsked(token, jwt, asking(response))) {
      return response;
    }
    // A second sign-in would create a second session.
    if (isSignIn) return response;
    let next: string | null;
    try {
      next = await secondary.get(token, signal);
    } catch (error) {
      const read = () => {
        response.read();
        throw error;
      };
      return { ...response, read };
    }
    return next === null || next === jwt ? response : sendOnce(url, call, { token, jwt: next }, signal);
  }

  async function sendOnce(
    url: string,
    call: PreparedCall,
    { token, jwt, primaryJwt }: SentCredentials,
    signal: AbortSignal,
  ): Promise<CallResponse> {
    const { row, body } = call;
    const { method } = row;
    const target = withoutQuery(url);
    const once = codeHeader in call.headers;
    const updateSession = token === null ? undefined : keeper.beginRead(token);
    const jwts = [...new Set([primaryJwt, jwt])].filter((one) => typeof one === 'string');
    const headers = {
      ...call.headers,
      ...(token !== null && { [sessionHeader]: token }),
      ...(jwts.length > 0 && { authorization: jwts.map((one) => `Bearer ${one}`).join(', ') }),
    };
    const accept = row.produces === undefined ? 'application/json' : `${row.produces}, application/json`;
    const response = await transport({ method, url, target, headers, accept, body, signal, once });
    const { status } = response;
    if (token !== null && status >= 200 && status < 300) keeper.restartTimeout(token);
    return {
      status,
      headers: response.headers,
      body: response.body,
      jwt,
      read() {
        const data = readResponse(response, { row, target, secrets: [...secretsOf(call, token), ...jwts] });
        if (isCurrentSession(row)) updateSession?.(data as CurrentApiSessionDetail);
        return data;
      },
    };
  }

  async function perform(
    api: 'client' | 'management',
    call: PreparedCall,
    { token: pinnedToken, jwt: primaryJwt }: Credentials = {},
  ): Promise<unknown> {
    const url = apis[api] + call.path;
    const target = withoutQuery(url);
    return withDeadline(
      { signal: call.options.signal, timeout: call.options.timeout ?? timeout, target },
      async (signal) => {
        let sentToken = call.row.access === 'anyone' ? null : (pinnedToken ?? (await token(call.options)));
        let response = await send(url, call, sentToken, signal, primaryJwt);
        if (sentToken !== null && mayHaveEnded(response, sentToken, pinnedToken)) {
          await endIfInvalid(sentToken, response.headers);
        } else if (sentToken !== null && response.status === 401 && (await canRepeat(sentToken, response))) {
          sentToken = keeper.token();
          response = await send(url, call, sentToken, signal);
        }
        return read(response, call.row, sentToken);
      },
    );
  }

  /** After a 401: whether there is a new session now, or a new JWT for the same one. */
  async function canRepeat(sentToken: string, { headers, jwt }: CallResponse): Promise<boolean> {
    if (await recover(sentToken, headers)) return true;
    const held = secondary.held(sentToken);
    return keeper.token() === sentToken && held !== null && held !== jwt;
  }

  /** After too many wrong codes the controller sends 429 and removes a partial session. */
  function mayHaveEnded({ status }: CallResponse, sentToken: string, pinnedToken: string | undefined): boolean {
    return status === 401 ? pinnedToken !== undefined : status === 429 && isPartial(sentToken);
  }

  function isPartial(token: string | null): boolean {
    return token !== null && keeper.token() === token && keeper.view()?.state === 'partial';
  }

  /** The controller sends the same 401 for a partial session and for a missing permission. The SDK tells them apart. */
  function read(response: CallResponse, { access }: OperationRow, sentToken: string | null): unknown {
    try {
      return response.read();
    } catch (error) {
      const isRefused = isEdgeApiError(error) && error.status === 401;
      if (isRefused && access !== 'partial' && isPartial(sentToken)) throw new EdgeAuthQueryError('OUTSTANDING', error);
      throw error;
    }
  }

  async function fetchSession(token: string): Promise<CallResponse> {
    const call = { row: sessionRow, path: sessionPath, headers: {}, body: undefined, options: {} };
    return withDeadline({ signal: undefined, timeout, target: sessionUrl }, (signal) =>
      send(sessionUrl, call, token, signal),
    );
  }

  async function isAlive(token: string): Promise<boolean> {
    try {
      const response = await fetchSession(token);
      if (response.status === 401) return false;
      // A changed policy may have made a full session partial.
      response.read();
      return true;
    } catch {
      // Without a response the session may still exist, so it stays.
      return true;
    }
  }

  async function restore(): Promise<void> {
    const token = await keeper.readStored();
    if (token === null || token === '' || keeper.token() !== null) return;
    const response = await fetchSession(token);
    // A sign-in may have finished during the request.
    if (keeper.token() !== null) return;
    if (response.status === 401) return keeper.removeStored();
    await keeper.begin({ ...(response.read() as CurrentApiSessionDetail), token });
  }

  async function token(options: CallOptions): Promise<string | null> {
    if (keeper.token() !== null) return keeper.token();
    restoring ??= restore().finally(() => {
      restoring = null;
    });
    await withDeadline(
      { signal: options.signal, timeout: options.timeout ?? timeout, target: apis.client },
      async () => restoring,
    );
    return keeper.token();
  }

  return { perform, token, recover };
}

/** A sign-out must work when nobody can give a JWT any more. */
function isSignOut({ method, path }: OperationRow): boolean {
  return method === 'DELETE' && path === sessionPath;
}

interface SentCredentials {
  readonly token: string | null;
  readonly jwt: string | null;
  readonly primaryJwt?: string | undefined;
}

function asking({ body, headers }: CallResponse) {
  const { data } = (body ?? {}) as { data?: Partial<CurrentApiSessionDetail> };
  return { queries: data?.authQueries ?? [], isExpired: jwtChallenge(headers)?.error === 'expired' };
}

function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function isCurrentSession({ method, path }: OperationRow): boolean {
  return method === 'GET' && path === sessionPath;
}
