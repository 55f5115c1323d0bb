import { authQueryError } from './auth-query-error.ts';
import { claimTime, createClaim } from './claim.ts';
import type { ClientCore } from './client-core.ts';
import type { Reauthenticate } from './options.ts';
import type { SessionEnd } from './session-message.ts';
import { onPage, withDeadline } from './shared.ts';

/** Milliseconds between two looks at what another client does, in case its message does not come. */
const lookInterval = 300;

/** `isDue`: nobody has signed in or out since the end of the session was seen. */
export type Replacement = (token: string, isDue: () => boolean) => Promise<SessionEnd>;

/**
 * Makes a function that replaces a session which the controller no longer knows: with the session that another client got
 * meanwhile, else by `reauthenticate`, which only one of the clients with one storage runs. It resolves to how the session
 * ended if nothing replaced it, and it throws the error of `reauthenticate`.
 */
export function createReplacement(core: ClientCore): Replacement {
  const { keeper, caller, events, signOuts, storage, storageKey, disposed } = core;
  const { reauthenticate, reauthenticateTimeout = 60_000 } = core.options;
  const claim = createClaim(core, 'sign-in');
  const maxLooks = (reauthenticateTimeout + 2 * claimTime) / lookInterval;
  let isRunning = false;

  async function signInAgain(token: string, run: Reauthenticate): Promise<void> {
    const giveBack = (failed?: string) => claim.release(failed).catch(() => undefined);
    const done = new AbortController();
    const renewal = setInterval(() => claim.renew().catch(() => undefined), claimTime / 3);
    // A page that closes gives the claim back. Otherwise the others wait until it ends.
    onPage('pagehide', () => void giveBack(), done.signal);
    const isWanted = signOuts.watch();
    const stop = new AbortController();
    disposed.addEventListener('abort', () => stop.abort(disposed.reason), { signal: done.signal });
    const check = () => isWanted() || stop.abort(authQueryError('NO_SESSION'));
    events.on('sessionChange', check, { signal: done.signal });
    isRunning = true;
    try {
      const limits = { signal: stop.signal, timeout: reauthenticateTimeout, target: 'reauthenticate' };
      await withDeadline(limits, (signal) => run({ signal }));
    } finally {
      isRunning = false;
      done.abort();
      clearInterval(renewal);
      const isFailure = keeper.token() === token || keeper.token() === null;
      await giveBack(isFailure && !stop.signal.aborted ? token : undefined);
    }
  }

  /** Waits until the session changes, but not for long. */
  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        unwatch();
        resolve();
      };
      const timer = setTimeout(end, lookInterval);
      const unwatch = events.on('sessionChange', end);
    });
  }

  return async (token, isDue) => {
    for (let looks = 0; looks < maxLooks && isDue(); looks += 1) {
      let isFailed = false;
      let stored: string | null = null;
      const isWanted = async (failed?: string) => {
        const value = await storage.get(storageKey);
        stored = value && !keeper.isPast(value) ? value : null;
        isFailed = failed === token;
        // A session that ends while `reauthenticate` runs must not start a second `reauthenticate`.
        return !isFailed && !isRunning && reauthenticate !== undefined && (!stored || stored === token);
      };
      // Clients whose storage fails know nothing of each other.
      const claimed = await claim.take(isWanted).catch(() => (isRunning ? 'unwanted' : 'mine'));
      if (claimed === 'held') await pause();
      else if (stored && stored !== token) await caller.load();
      else if (claimed === 'unwanted' || !reauthenticate) return isFailed ? 'failed' : 'expired';
      // Somebody may have signed out meanwhile.
      else if (!isDue()) await claim.release().catch(() => undefined);
      else {
        await signInAgain(token, reauthenticate);
        return 'failed';
      }
    }
    return 'failed';
  };
}
