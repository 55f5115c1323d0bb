import type { PreparedCall } from './calls.ts';
import type { CurrentApiSessionDetail } from './generated/entities.ts';
import type { LazySecondary } from './lazy-secondary.ts';
import type { OperationRow } from './operation-row.ts';
import type { CallOptions } from './options.ts';
import { readResponse } from './read-response.ts';
import type { Recovery } from './recovery.ts';
import { createRecovery } from './recovery.ts';
import type { Sender } from './sender.ts';
import { isSignIn } from './sender.ts';
import { callOf, sessionPath, sessionRow } from './session-calls.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { SessionEnd } from './session-message.ts';
import { createSessionQuestions } from './session-questions.ts';
import { isSessionRefusal } from './session-refusal.ts';
import type { SignOuts } from './sign-outs.ts';
import type { Api } from './transport.ts';

interface CallerParts {
  readonly sender: Sender;
  readonly keeper: SessionKeeper;
  readonly secondary: LazySecondary;
  readonly signOuts: SignOuts;
  /** Replaces an ended session: see `createReplacement`. */
  readonly replace: (token: string) => Promise<SessionEnd>;
  /** Whether the application can sign in again. */
  readonly canSignIn: boolean;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
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
  readonly jwt?: string | undefined;
}

/** A session of the storage that the controller no longer knows. The next call replaces it, unless somebody signs in or out. */
interface Lost {
  readonly token: string;
  readonly isWanted: () => boolean;
}

export interface Caller {
  /** Makes one call. It carries the token of the session, unless the operation has access level `anyone`. */
  perform(api: Api, call: PreparedCall, credentials?: Credentials): Promise<unknown>;
  /** Makes one call about a session, whichever session is current. It is not repeated. */
  ask(token: string, call?: PreparedCall): Promise<CallResponse>;
  /** The token of the current session, of the one in the storage, or of the one that replaced it. */
  token(options?: CallOptions): Promise<string | null>;
  /** Takes over the session in the storage if the controller still knows it, unless there is a session. */
  restore(options?: CallOptions): Promise<void>;
  /** Takes over the session in the storage if the controller still knows it. */
  load(): Promise<void>;
  readonly recover: Recovery['recover'];
  /** Asks the controller whether it still knows the session, which extends it. False only when the controller says no. */
  isAlive(token: string): Promise<boolean>;
  /** Whether a call was made since this was asked last: idle clients must not keep a session alive for ever. */
  wasUsed(): boolean;
}

/** Makes the calls of a client and keeps its session up to date with the responses. */
export function createCaller({
  sender,
  keeper,
  secondary,
  signOuts,
  replace,
  canSignIn,
  disposed,
}: CallerParts): Caller {
  const { inTime } = sender;
  const { isAlive, load, noteFailure } = createSessionQuestions({ keeper, ask });
  const { recover, endIfInvalid, replaceStored } = createRecovery({ keeper, isAlive, replace, disposed });
  let restoring: Promise<void> | null = null;
  let lost: Lost | null = null;
  let replacing: Promise<void> | null = null;
  let isUsed = false;

  async function send(
    api: Api,
    call: PreparedCall,
    session: string | null,
    signal: AbortSignal,
    primaryJwt?: string,
  ): Promise<CallResponse> {
    const { row } = call;
    // A sign-out must work when nobody can give a JWT any more.
    const needsJwt = session === null ? isSignIn(row) : !isSignOut(row);
    const jwts = needsJwt ? await secondary.current() : null;
    const sendWith = (jwt: string | null) => sendOnce(api, call, session, [primaryJwt, jwt], signal);
    return jwts ? jwts.send({ row, session, signal }, sendWith) : sendWith(null);
  }

  async function sendOnce(
    api: Api,
    call: PreparedCall,
    token: string | null,
    [primaryJwt, jwt]: [primary: string | undefined, secondary: string | null],
    signal: AbortSignal,
  ): Promise<CallResponse> {
    const { method, path } = call.row;
    const updateSession = token === null ? undefined : keeper.beginRead(token);
    const jwts = [...new Set([primaryJwt, jwt])].filter((one) => typeof one === 'string');
    const response = await sender.send(api, call, signal, { token, jwts });
    const { status, headers, body } = response;
    if (token !== null && status >= 200 && status < 300) keeper.restartTimeout(token);
    return {
      ...{ status, headers, body, jwt },
      read() {
        const data = readResponse(response, { call, token, jwts, isPartial: isPartial(token) });
        if (method === 'GET' && path === sessionPath) updateSession?.(data as CurrentApiSessionDetail);
        return data;
      },
    };
  }

  async function perform(api: Api, call: PreparedCall, { token: pinned, jwt }: Credentials = {}): Promise<unknown> {
    disposed.throwIfAborted();
    isUsed = true;
    const { row, options } = call;
    let sent: string | null = null;
    try {
      return await inTime(options, api, call.path, async (signal) => {
        sent = row.access === 'anyone' ? null : (pinned ?? (await token(options)));
        let response = await send(api, call, sent, signal, jwt);
        if (sent !== null && !isSignOut(row)) {
          const isRefused = isSessionRefusal(response);
          // After too many wrong codes the controller sends 429 and removes a partial session.
          if (isRefused ? pinned : response.status === 429 && isPartial(sent))
            await endIfInvalid(sent, response.headers);
          else if (isRefused && (await canRepeat(sent, response))) {
            sent = keeper.token();
            response = await send(api, call, sent, signal);
          }
        }
        return response.read();
      });
    } catch (error) {
      noteFailure(sent, error);
      throw error;
    }
  }

  /** After a 401: whether there is a new session now, or a new JWT for the same one. */
  async function canRepeat(sent: string, { headers, jwt }: CallResponse): Promise<boolean> {
    if (await recover(sent, headers)) return true;
    return keeper.token() === sent && (await secondary.current())?.hasOther(sent, jwt) === true;
  }

  function isPartial(token: string | null): boolean {
    return token !== null && keeper.token() === token && keeper.view()?.state === 'partial';
  }

  async function ask(token: string, call = callOf(sessionRow)): Promise<CallResponse> {
    return inTime(call.options, 'client', call.path, (signal) => send('client', call, token, signal));
  }

  async function loadOnce(): Promise<void> {
    const isSignInWanted = signOuts.watch();
    const before = keeper.replacements();
    const isWanted = () => isSignInWanted() && keeper.replacements() === before;
    await load(async (token) => {
      if (!canSignIn) return keeper.removeStored(token);
      // The token stays for the other clients with this storage: they find it, too, and wait for the same sign-in.
      lost = { token, isWanted };
    });
  }

  async function replaceLost({ token }: Lost): Promise<void> {
    try {
      await replaceStored(token);
    } finally {
      lost = null;
      await keeper.removeStored(token).catch(() => undefined);
    }
  }

  async function restore(options: CallOptions = {}): Promise<void> {
    disposed.throwIfAborted();
    if (keeper.token() !== null) return;
    restoring ??= loadOnce().finally(() => {
      restoring = null;
    });
    await inTime(options, 'client', '', async () => restoring);
  }

  async function token(options: CallOptions = {}): Promise<string | null> {
    await restore(options);
    if (keeper.token() === null && lost?.isWanted()) {
      replacing ??= replaceLost(lost).finally(() => {
        replacing = null;
      });
      await inTime(options, 'client', '', async () => replacing);
    }
    return keeper.token();
  }

  return {
    perform,
    ask,
    token,
    restore,
    load,
    recover,
    isAlive,
    wasUsed() {
      const wasUsed = isUsed;
      isUsed = false;
      return wasUsed;
    },
  };
}

function isSignOut({ method, path }: OperationRow): boolean {
  return method === 'DELETE' && path === sessionPath;
}
