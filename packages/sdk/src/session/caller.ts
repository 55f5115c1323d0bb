import type { CurrentApiSessionDetail } from '../api/generated/entities.ts';
import type { EdgeClientOptions } from '../api/options.ts';
import { callOf, endRow, isSignIn, isSignOut, sessionPath, sessionRow } from '../calls/own-calls.ts';
import type { PreparedCall } from '../calls/prepared-call.ts';
import { isEdgeApiError } from '../errors/error-guards.ts';
import { expiresIn } from '../lib/expires-in.ts';
import type { Api } from '../requests/controller-url.ts';
import type { Sender } from '../requests/sender.ts';
import { isSessionRefusal } from '../requests/session-refusal.ts';
import type { Recovery } from './recovery.ts';
import type { Secondary } from './secondary.ts';
import type { SessionManager } from './session-manager.ts';
import type { SessionProbe } from './session-probe.ts';
import type { stepUp } from './step-up.ts';
import type { StoredSession } from './stored-session.ts';

interface CallerParts {
  readonly options: Pick<EdgeClientOptions, 'onStepUp'>;
  readonly sender: Pick<Sender, 'inTime' | 'send' | 'read'>;
  readonly manager: Pick<
    SessionManager,
    'token' | 'view' | 'beginRead' | 'restartTimeout' | 'allowPeek' | 'isReplaced' | 'isEnded' | 'markEnded'
  >;
  readonly secondary: Pick<Secondary, 'current'>;
  readonly probe: Pick<SessionProbe, 'recordFailure'>;
  readonly recovery: Pick<Recovery, 'recover' | 'endIfInvalid'>;
  readonly stored: Pick<StoredSession, 'token'>;
  readonly loadRest: () => Promise<{ readonly stepUp: typeof stepUp }>;
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
interface Credentials {
  /** The token of a session. The call does not sign in again, and it is not repeated with another session. */
  readonly token?: string;
  /** The JWT of a sign-in. */
  readonly jwt?: string | undefined;
  /** Nobody is asked for a step-up any more. */
  readonly isLast?: boolean;
}

/** Makes the calls of a client and keeps its session up to date with the responses. */
export class Caller {
  readonly #parts: CallerParts;
  /** How often somebody has proven again who uses the session. */
  stepUps = 0;
  #isUsed = false;

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  /** Makes one call. It carries the token of the session, unless the operation has access level `anyone`. */
  async perform(api: Api, call: PreparedCall, credentials: Credentials = {}): Promise<unknown> {
    const { token: pinned, jwt, isLast } = credentials;
    const { stepUps } = this;
    const { options: own, disposed, manager, probe, recovery, sender, stored, loadRest } = this.#parts;
    const { row, options } = call;
    disposed.throwIfAborted();
    const needsSession = row.access !== 'anyone' || isSignIn(row);
    if (needsSession) this.#isUsed = true;
    let sent: string | null = null;
    try {
      return await sender.inTime(options, api, call.path, async (signal) => {
        sent = row.access === 'anyone' ? null : (pinned ?? (await stored.token(options)));
        let response = await this.#send(api, call, sent, signal, jwt);
        if (sent !== null && !isSignOut(row)) {
          const isRefused = isSessionRefusal(response);
          // After too many wrong codes the controller sends 429 and removes a partial session.
          if (isRefused ? pinned : response.status === 429 && this.#isPartial(sent))
            await recovery.endIfInvalid(sent, response.headers);
          else if (isRefused && (await this.#canRepeat(sent, response))) {
            sent = manager.token();
            response = await this.#send(api, call, sent, signal);
          }
        }
        return response.read();
      });
    } catch (error) {
      if (needsSession) probe.recordFailure(sent, error);
      if (isLast || !sent || !own.onStepUp || !isEdgeApiError(error, 'STEP_UP_REQUIRED')) throw error;
      // Outside of the time limit of the call, because a person may be asked.
      const { stepUp } = await loadRest();
      await stepUp({ onStepUp: own.onStepUp, manager, caller: this }, { token: sent, error, stepUps });
    }
    return this.perform(api, call, { ...credentials, isLast: true });
  }

  /** Makes one call about a session, whichever session is current. It is not repeated. */
  async ask(token: string, call = callOf(sessionRow)): Promise<CallResponse> {
    const send = (signal: AbortSignal) => this.#send('client', call, token, signal);
    return this.#parts.sender.inTime(call.options, 'client', call.path, send);
  }

  /** Ends a session that nobody needs any more, unless it has ended already. Nobody waits for it. */
  endSession(token: string): void {
    const { manager } = this.#parts;
    if (manager.isEnded(token)) return;
    manager.markEnded(token);
    this.ask(token, callOf(endRow)).catch(() => undefined);
  }

  /** Whether a call was made since this was asked last: idle clients must not keep a session alive for ever. */
  wasUsed(): boolean {
    const wasUsed = this.#isUsed;
    this.#isUsed = false;
    return wasUsed;
  }

  async #send(
    api: Api,
    call: PreparedCall,
    session: string | null,
    signal: AbortSignal,
    primaryJwt?: string,
  ): Promise<CallResponse> {
    const { row } = call;
    // A sign-out must work when nobody can give a JWT any more.
    const needsJwt = session === null ? isSignIn(row) : !isSignOut(row);
    const jwts = needsJwt ? await this.#parts.secondary.current() : null;
    const sendWith = (jwt: string | null) => this.#sendOnce(api, call, session, [primaryJwt, jwt], signal);
    return jwts ? jwts.send({ row, session, signal }, sendWith) : sendWith(null);
  }

  async #sendOnce(
    api: Api,
    call: PreparedCall,
    token: string | null,
    [primaryJwt, jwt]: [primary: string | undefined, secondary: string | null],
    signal: AbortSignal,
  ): Promise<CallResponse> {
    const { manager, sender } = this.#parts;
    const { method, path } = call.row;
    const updateSession = token === null ? undefined : manager.beginRead(token);
    const jwts = [...new Set([primaryJwt, jwt])].filter((one) => typeof one === 'string');
    const response = await sender.send(api, call, signal, { token, jwts });
    const { status, headers, body } = response;
    const left = expiresIn(headers);
    if (left !== null) manager.allowPeek();
    if (token !== null && status >= 200 && status < 300) manager.restartTimeout(token, left);
    return {
      ...{ status, headers, body, jwt },
      read: () => {
        const data = sender.read(response, { call, token, jwts, isPartial: this.#isPartial(token) });
        if (method === 'GET' && path === sessionPath) updateSession?.(data as CurrentApiSessionDetail, left);
        return data;
      },
    };
  }

  /** After a 401: whether there is a new session now, or a new JWT for the same one. */
  async #canRepeat(sent: string, { headers, jwt }: CallResponse): Promise<boolean> {
    const { manager, recovery, secondary } = this.#parts;
    if (await recovery.recover(sent, headers)) return true;
    return manager.token() === sent && (await secondary.current())?.hasOther(sent, jwt) === true;
  }

  #isPartial(token: string | null): boolean {
    const { manager } = this.#parts;
    return token !== null && manager.token() === token && manager.view()?.state === 'partial';
  }
}
