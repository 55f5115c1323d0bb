import type { EdgeClientOptions, Reauthenticate } from '../api/options.ts';
import { authQueryError } from '../errors/auth-query-error.ts';
import { withDeadline } from '../errors/deadline.ts';
import type { Epoch } from '../lib/epoch.ts';
import { onPage } from '../lib/page.ts';
import type { ClientEvents } from './client-events.ts';
import type { Lease, LeaseParts } from './lease.ts';
import { createLease, leaseTime } from './lease.ts';
import type { SessionManager } from './session-manager.ts';
import type { SessionEnd } from './session-message.ts';
import type { SessionProbe } from './session-probe.ts';

/** Milliseconds between two checks of what another client does, in case its message does not come. */
const checkInterval = 300;

interface ReplacementParts extends LeaseParts {
  readonly options: Pick<EdgeClientOptions, 'reauthenticate' | 'reauthenticateTimeout'>;
  readonly manager: Pick<SessionManager, 'token' | 'isPast'>;
  readonly probe: Pick<SessionProbe, 'load'>;
  readonly events: Pick<ClientEvents, 'on'>;
  readonly signOuts: Epoch;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

interface LeaseResult {
  readonly taken: Awaited<ReturnType<Lease['take']>>;
  /** The token in the storage, unless its session was replaced or ended here. */
  readonly stored: string | null;
  /** `reauthenticate` of another client failed for this session. */
  readonly isFailed: boolean;
}

/**
 * Replaces a session that the controller no longer knows. It takes over the session that another client got meanwhile, or runs
 * `reauthenticate`. Of the clients with one storage, only one runs it at a time.
 */
export class SessionReplacement {
  readonly #parts: ReplacementParts;
  readonly #lease: Lease;
  readonly #timeout: number;
  /** `reauthenticate` runs. */
  #isRunning = false;

  constructor(parts: ReplacementParts) {
    this.#parts = parts;
    this.#lease = createLease(parts, 'sign-in');
    this.#timeout = parts.options.reauthenticateTimeout ?? 60_000;
  }

  /**
   * Resolves to how the session ended if nothing replaced it, and throws the error of `reauthenticate`. `isDue`: nobody has
   * signed in or out since the end of the session was seen.
   */
  async replace(token: string, isDue: () => boolean): Promise<SessionEnd> {
    const { probe, options } = this.#parts;
    const maxChecks = (this.#timeout + 2 * leaseTime) / checkInterval;
    for (let checks = 0; checks < maxChecks && isDue(); checks += 1) {
      const { taken, stored, isFailed } = await this.#takeLease(token);
      if (taken === 'busy') await this.#pause();
      else if (stored && stored !== token) await probe.load();
      else if (taken === 'unwanted' || !options.reauthenticate) return isFailed ? 'failed' : 'expired';
      // Somebody may have signed out meanwhile.
      else if (!isDue()) await this.#lease.release().catch(() => undefined);
      else {
        await this.#signInAgain(token, options.reauthenticate);
        return 'failed';
      }
    }
    return 'failed';
  }

  /** Takes the lease if this client must run `reauthenticate`. */
  async #takeLease(token: string): Promise<LeaseResult> {
    const { manager, options, storage, storageKey } = this.#parts;
    let isFailed = false;
    let stored: string | null = null;
    const isWanted = async (failed?: string) => {
      const value = await storage.get(storageKey);
      stored = value && !manager.isPast(value) ? value : null;
      isFailed = failed === token;
      // A session that ends while `reauthenticate` runs must not start a second `reauthenticate`.
      return !isFailed && !this.#isRunning && options.reauthenticate !== undefined && (!stored || stored === token);
    };
    // A client whose storage fails cannot see what the others do.
    const taken = await this.#lease.take(isWanted).catch(() => (this.#isRunning ? 'unwanted' : 'mine'));
    return { taken, stored, isFailed };
  }

  async #signInAgain(token: string, run: Reauthenticate): Promise<void> {
    const { manager, events, signOuts, disposed } = this.#parts;
    const giveBack = (failed?: string) => this.#lease.release(failed).catch(() => undefined);
    const done = new AbortController();
    const renewal = setInterval(() => this.#lease.renew().catch(() => undefined), leaseTime / 3);
    // A page that closes gives the lease back. Otherwise the others wait until it ends.
    onPage('pagehide', () => void giveBack(), done.signal);
    const isWanted = signOuts.watch();
    const stop = new AbortController();
    disposed.addEventListener('abort', () => stop.abort(disposed.reason), { signal: done.signal });
    const check = () => isWanted() || stop.abort(authQueryError('NO_SESSION'));
    events.on('sessionChange', check, { signal: done.signal });
    this.#isRunning = true;
    try {
      const limits = { signal: stop.signal, timeout: this.#timeout, target: 'reauthenticate' };
      await withDeadline(limits, (signal) => run({ signal }));
    } finally {
      this.#isRunning = false;
      done.abort();
      clearInterval(renewal);
      const isFailure = manager.token() === token || manager.token() === null;
      await giveBack(isFailure && !stop.signal.aborted ? token : undefined);
    }
  }

  /** Waits until the session changes, but not for long. */
  #pause(): Promise<void> {
    const { events } = this.#parts;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        unwatch();
        resolve();
      };
      const timer = setTimeout(end, checkInterval);
      const unwatch = events.on('sessionChange', end);
    });
  }
}
