import type { SessionKeeper } from './session-keeper.ts';

interface RecoveryParts {
  readonly keeper: SessionKeeper;
  /** Asks the controller whether it still knows the session of a token; false only when it says no. */
  readonly isAlive: (token: string) => Promise<boolean>;
  readonly reauthenticate: (() => Promise<unknown>) | undefined;
}

/** Looks into a refusal of a call: which token was sent, and what the answer said about it. */
type Look<T> = (token: string, headers: Headers) => Promise<T>;

export interface Recovery {
  /** Asked after every 401 of a call that carried a token; true when the call is to be sent once more. */
  readonly recover: Look<boolean>;
  /** For calls that belong to one session only: ends it if the controller no longer knows it, and renews nothing. */
  readonly endIfGone: Look<void>;
}

/** However many calls meet the same dead session, it ends once and is replaced once. */
export function createRecovery({ keeper, isAlive, reauthenticate }: RecoveryParts): Recovery {
  const flights = new Map<string, Promise<boolean>>();
  let replaced: { from: string; to: string } | null = null;
  let renewing = false;

  // The token that was sent is compared with the one held now: late answers must not end or renew a newer session,
  // and a call is never repeated under a session that was not made to replace its own.
  const wasReplaced = (token: string) => replaced?.from === token && replaced.to === keeper.token();

  // Missing permission is 401 as well; only the challenge or the controller's word proves that the session is gone.
  const isGone = async (token: string, headers: Headers) => saysInvalid(headers) || !(await isAlive(token));

  async function renew(): Promise<void> {
    // A session that dies while `reauthenticate` is at work on it must not start another one.
    if (reauthenticate === undefined || renewing) return;
    renewing = true;
    try {
      await reauthenticate();
    } finally {
      renewing = false;
    }
  }

  async function settle(token: string, headers: Headers): Promise<boolean> {
    if (!(await isGone(token, headers))) return false;
    if (keeper.token() !== token) return wasReplaced(token);
    try {
      await renew();
    } finally {
      const now = keeper.token();
      if (now === token || now === null) await keeper.end(token, 'expired');
      else if (reauthenticate !== undefined) replaced = { from: token, to: now };
    }
    return wasReplaced(token);
  }

  async function recover(token: string, headers: Headers): Promise<boolean> {
    if (keeper.isLeaving(token)) return false;
    const running = flights.get(token);
    if (running !== undefined) return running;
    if (keeper.token() !== token) return wasReplaced(token);
    const flight = settle(token, headers).finally(() => flights.delete(token));
    flights.set(token, flight);
    return flight;
  }

  return {
    recover,
    endIfGone: async (token, headers) => {
      if (await isGone(token, headers)) await keeper.end(token, 'expired');
    },
  };
}

/** `svc-session realm="…" error="invalid"`: parameters may be separated by spaces, challenges by commas. */
function saysInvalid(headers: Headers): boolean {
  const challenges = (headers.get('www-authenticate') ?? '').split(',');
  return challenges.some((text) => /^\s*[\w-]*session\s.*error="?(invalid|expired)/i.test(text));
}
