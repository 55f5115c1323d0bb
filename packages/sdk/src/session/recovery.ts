import { hasInvalidChallenge } from '../requests/session-refusal.ts';
import type { SessionManager } from './session-manager.ts';
import type { SessionEnd } from './session-message.ts';

interface RecoveryParts {
  readonly manager: Pick<SessionManager, 'token' | 'end' | 'isReplaced' | 'markEnded'>;
  /** Asks the controller whether it still knows the session of a token. False only when the controller says no. */
  readonly isAlive: (token: string) => Promise<boolean | null>;
  /** Replaces an ended session. Resolves to how it ended if nothing replaced it. */
  readonly replace: (token: string) => Promise<SessionEnd>;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/** Handles a refused call. `token`: the token of the request, `headers`: the headers of the response. */
type RefusalHandler<T> = (token: string, headers: Headers) => Promise<T>;

export interface Recovery {
  /** Runs after every 401 of a call with a token. True when the call must be sent once more. */
  readonly recover: RefusalHandler<boolean>;
  /** Ends the session if the controller no longer knows it. It does not sign in again. */
  readonly endIfInvalid: RefusalHandler<void>;
  /** Replaces a session from the storage that the controller no longer knows. */
  readonly replaceStored: (token: string) => Promise<void>;
}

/** When many calls fail with the same ended session, it ends once and is replaced once. */
export function createRecovery({ manager, isAlive, replace, disposed }: RecoveryParts): Recovery {
  const running = new Map<string, Promise<void>>();
  let failure: { readonly token: string; readonly error: unknown } | undefined;

  // A missing permission is 401 too. Only the challenge header or a request to the controller proves that the session
  // ended.
  const isInvalid = async (token: string, headers: Headers) =>
    hasInvalidChallenge(headers) || (await isAlive(token)) === false;

  async function end(token: string, by: SessionEnd): Promise<void> {
    // The controller refuses a token that could not be removed from the storage. The call has its own error.
    if (manager.token() === token) await manager.end(token, by).catch(() => undefined);
  }

  async function replaceIfInvalid(token: string, headers: Headers): Promise<void> {
    if ((await isInvalid(token, headers)) && manager.token() === token) await replaceEnded(token);
  }

  async function replaceEnded(token: string): Promise<void> {
    manager.markEnded(token);
    let by: SessionEnd = 'failed';
    try {
      by = await replace(token);
    } catch (error) {
      failure = { token, error };
    }
    if (!disposed.aborted) await end(token, by);
  }

  /** Runs once for all calls that wait. A call whose response comes later gets its error, too. */
  async function once(token: string, run?: () => Promise<void>): Promise<void> {
    const recovery = running.get(token) ?? run?.().finally(() => running.delete(token));
    if (recovery) running.set(token, recovery);
    await recovery;
    if (failure?.token === token) throw failure.error;
  }

  return {
    // Compares the token of the request with the current one. A late response must not end or replace a newer session.
    async recover(token, headers) {
      await once(token, manager.token() === token ? () => replaceIfInvalid(token, headers) : undefined);
      return manager.isReplaced(token);
    },
    endIfInvalid: async (token, headers) => {
      if (await isInvalid(token, headers)) await end(token, 'expired');
    },
    replaceStored: async (token) => once(token, () => replaceEnded(token)),
  };
}
