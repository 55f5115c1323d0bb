import type { EdgeClientOptions } from '../api/options.ts';
import { callOf, sessionRow } from '../calls/own-calls.ts';
import { isEdgeApiError } from '../errors/error-guards.ts';
import { Backoff } from '../lib/backoff.ts';
import { isHidden, isOffline, onPage, onVisibility } from '../lib/page.ts';
import { SleepAwareTimer } from '../lib/sleep-aware-timer.ts';
import { weakCallback } from '../lib/weak-callback.ts';
import type { Caller } from './caller.ts';
import type { ClientEvents } from './client-events.ts';
import type { Lease, LeaseParts } from './lease.ts';
import { createLease } from './lease.ts';
import type { SessionManager } from './session-manager.ts';

/** Ends that differ by fewer milliseconds are the same one. */
const sameEnd = 1_000;

interface KeepAliveParts extends LeaseParts {
  readonly options: Pick<EdgeClientOptions, 'keepAlive' | 'clock'>;
  readonly manager: Pick<SessionManager, 'current'>;
  readonly caller: Pick<Caller, 'perform'>;
  readonly events: Pick<ClientEvents, 'on'>;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/**
 * Extends the session when two thirds of its time have passed. Of several clients with one storage only the one with the lease
 * does it; the others see its result. It runs as long as the application has a reference to the client. Resolves after the first check.
 */
export async function startKeepAlive(parts: KeepAliveParts): Promise<void> {
  const { events, options, disposed } = parts;
  const keepAlive = new KeepAlive(parts);
  const restart = () => keepAlive.plan(0);
  for (const event of ['session', 'extended'] as const) events.on(event, restart, { signal: disposed });
  onVisibility(weakCallback(keepAlive, wakeUp), disposed);
  onPage('online', weakCallback(keepAlive, wakeUp), disposed);
  options.clock?.onJump?.(weakCallback(keepAlive, clockJumped), disposed);
  disposed.addEventListener('abort', () => keepAlive.stop());
  await keepAlive.jump();
}

class KeepAlive {
  readonly #parts: KeepAliveParts;
  readonly #lease: Lease;
  readonly #timer: SleepAwareTimer;
  readonly #backoff = new Backoff();
  /** Clients that share a session do not all look at the same moment. */
  readonly #share = 0.3 + Math.random() / 30;
  #isExtending = false;

  constructor(parts: KeepAliveParts) {
    this.#parts = parts;
    this.#lease = createLease(parts, 'keep-alive');
    this.#timer = new SleepAwareTimer(parts.clock, weakCallback<KeepAlive>(this, checkAgain));
  }

  /** Checks again after these milliseconds. */
  plan(delay: number): void {
    if (!this.#parts.disposed.aborted) this.#timer.plan(delay);
  }

  stop(): void {
    this.#timer.stop();
  }

  wake(): void {
    if (!this.#parts.disposed.aborted) this.#timer.wake();
  }

  async jump(): Promise<void> {
    this.#timer.jump();
    await this.check();
  }

  /** Extends the session when it is time. Otherwise it plans the next check. */
  check(): Promise<void> | undefined {
    const { clock, options, disposed } = this.#parts;
    const time = this.#timeLeft();
    if (time === null || this.#isExtending || disposed.aborted) return undefined;
    // An event continues.
    if (isOffline() || (options.keepAlive !== 'always' && isHidden())) return undefined;
    return this.#timer.isDue(Math.max(time, this.#backoff.left(clock()))) ? this.#extend() : undefined;
  }

  /** Milliseconds until the session must be extended. `null`: there is nothing to extend. */
  #timeLeft(): number | null {
    const { view, expiresAt, endsAt } = this.#parts.manager.current() ?? {};
    // No call moves the last end of a session.
    if (!view?.expirationSeconds || !expiresAt || (endsAt && expiresAt > endsAt - sameEnd)) return null;
    return expiresAt - this.#parts.clock() - view.expirationSeconds * 1_000 * this.#share;
  }

  async #extend(): Promise<void> {
    this.#isExtending = true;
    const delay = await this.#extendOnce();
    this.#isExtending = false;
    this.plan(Math.max(delay, this.#timeLeft() ?? 0));
  }

  async #extendOnce(): Promise<number> {
    const { caller, clock } = this.#parts;
    const taken = await this.#lease.take(async () => true).catch(() => 'mine');
    if (taken === 'busy') return 1_000 + Math.random() * 1_000;
    try {
      await caller.perform('client', callOf(sessionRow));
      this.#backoff.succeeded();
      return 0;
    } catch (error) {
      return this.#backoff.failed(isEdgeApiError(error) ? error.retryAfter : null, clock());
    } finally {
      await this.#lease.release().catch(() => undefined);
    }
  }
}

const checkAgain = (one: KeepAlive): void => void one.check();
const clockJumped = (one: KeepAlive, waitUntil: (work: Promise<void>) => void): void => waitUntil(one.jump());
const wakeUp = (one: KeepAlive): void => one.wake();
