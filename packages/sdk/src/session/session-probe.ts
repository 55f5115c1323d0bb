import type { CurrentApiSessionDetail } from '../api/generated/entities.ts';
import { callOf, peekQuery, sessionRow } from '../calls/own-calls.ts';
import type { PreparedCall } from '../calls/prepared-call.ts';
import { EdgeInvalidResponseError, EdgeNetworkError, EdgeTimeoutError } from '../errors/errors.ts';
import { expiresIn } from '../lib/expires-in.ts';
import type { Refusal } from '../requests/session-refusal.ts';
import { isSessionRefusal } from '../requests/session-refusal.ts';
import type { ClientEvents } from './client-events.ts';
import type { SessionManager } from './session-manager.ts';

interface ProbeParts {
  readonly manager: Pick<
    SessionManager,
    'token' | 'isPast' | 'readStored' | 'removeStored' | 'resume' | 'becomeStale' | 'markEnded'
  >;
  readonly events: Pick<ClientEvents, 'emit'>;
  /** Sends one request that reads the session of the token. `read` throws the error of the response. */
  readonly ask: (token: string, call?: PreparedCall) => Promise<Refusal & { readonly read: () => unknown }>;
}

export type SessionProbe = ReturnType<typeof createSessionProbe>;

/** Reads a session without a use of it. */
const peek = (timeout?: number) => callOf(sessionRow, { timeout }, undefined, peekQuery);

/** What the client asks the controller about a session by itself, without a call of the application. */
export function createSessionProbe({ manager, events, ask }: ProbeParts) {
  /** Records a call that did not reach the controller. */
  function recordFailure(token: string | null, error: unknown): void {
    const isUnreachable =
      error instanceof EdgeNetworkError ||
      error instanceof EdgeTimeoutError ||
      (error instanceof EdgeInvalidResponseError && error.status >= 502 && error.status <= 504);
    if (!isUnreachable) return;
    if (token !== null) manager.becomeStale(token, 'unreachable');
    events.emit('unreached', null);
  }

  /**
   * Whether the controller still knows the session. It is no use of the session. False only when the controller says no, `null`
   * when it says nothing.
   */
  async function isAlive(token: string, timeout?: number): Promise<boolean | null> {
    try {
      const response = await ask(token, peek(timeout));
      if (isSessionRefusal(response)) {
        manager.markEnded(token);
        return false;
      }
      // A changed policy may have made a full session partial.
      response.read();
      return true;
    } catch (error) {
      // Without a response the session may still exist, so it stays.
      recordFailure(token, error);
      return null;
    }
  }

  return {
    recordFailure,
    isAlive,
    /** Takes over the session of the token in the storage if the controller knows it. Otherwise it calls `onEnded`. */
    async load(onEnded = async (token: string): Promise<void> => manager.removeStored(token)): Promise<void> {
      const token = await manager.readStored();
      const before = manager.token();
      if (!token || token === before) return;
      const response = await ask(token, peek()).catch((error: unknown) => {
        recordFailure(null, error);
        throw error;
      });
      // A sign-in or a sign-out may have finished during the request.
      if (manager.token() !== before || manager.isPast(token)) return;
      if (isSessionRefusal(response)) return onEnded(token);
      await manager.resume({ ...(response.read() as CurrentApiSessionDetail), token }, expiresIn(response.headers));
    },
  };
}
