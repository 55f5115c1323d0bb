import type { SessionKeeper } from './session-keeper.ts';

interface RecoveryParts {
  readonly keeper: SessionKeeper;
  /** Asks the controller whether it still knows the session of a token. False only when the controller says no. */
  readonly isAlive: (token: string) => Promise<boolean>;
  readonly reauthenticate: (() => Promise<unknown>) | undefined;
}

/** Handles a refused call. `token`: the token of the request, `headers`: the headers of the response. */
type RefusalHandler<T> = (token: string, headers: Headers) => Promise<T>;

export interface Recovery {
  /** Runs after every 401 of a call with a token. True when the call must be sent once more. */
  readonly recover: RefusalHandler<boolean>;
  /** Ends the session if the controller no longer knows it. It does not sign in again. */
  readonly endIfInvalid: RefusalHandler<void>;
}

/** When many calls fail with the same ended session, it ends once and is replaced once. */
export function createRecovery({ keeper, isAlive, reauthenticate }: RecoveryParts): Recovery {
  const running = new Map<string, Promise<boolean>>();
  let replaced: { from: string; to: string } | null = null;
  let isReauthenticating = false;

  // Compares the token of the request with the current one. A late response must not end or replace a newer session.
  // A call is repeated only with the session that replaced its own.
  const wasReplaced = (token: string) => replaced?.from === token && replaced.to === keeper.token();

  // A missing permission is 401 too. Only the challenge header or a request to the controller proves that the session
  // ended.
  const isInvalid = async (token: string, headers: Headers) => hasInvalidChallenge(headers) || !(await isAlive(token));

  async function signInAgain(): Promise<void> {
    // A session that ends while `reauthenticate` runs must not start a second `reauthenticate`.
    if (reauthenticate === undefined || isReauthenticating) return;
    isReauthenticating = true;
    try {
      await reauthenticate();
    } finally {
      isReauthenticating = false;
    }
  }

  async function replaceIfInvalid(token: string, headers: Headers): Promise<boolean> {
    if (!(await isInvalid(token, headers))) return false;
    if (keeper.token() !== token) return wasReplaced(token);
    try {
      await signInAgain();
    } finally {
      const current = keeper.token();
      if (current === token || current === null) await keeper.end(token, 'expired');
      else if (reauthenticate !== undefined) replaced = { from: token, to: current };
    }
    return wasReplaced(token);
  }

  async function recover(token: string, headers: Headers): Promise<boolean> {
    if (keeper.isSigningOut(token)) return false;
    const earlier = running.get(token);
    if (earlier !== undefined) return earlier;
    if (keeper.token() !== token) return wasReplaced(token);
    const recovery = replaceIfInvalid(token, headers).finally(() => running.delete(token));
    running.set(token, recovery);
    return recovery;
  }

  return {
    recover,
    endIfInvalid: async (token, headers) => {
      if (await isInvalid(token, headers)) await keeper.end(token, 'expired');
    },
  };
}

/** Finds `svc-session realm="…" error="invalid"`. Spaces may separate parameters, commas separate challenges. */
function hasInvalidChallenge(headers: Headers): boolean {
  const challenges = (headers.get('www-authenticate') ?? '').split(',');
  return challenges.some((text) => /^\s*[\w-]*session\s.*error="?(invalid|expired)/i.test(text));
}
