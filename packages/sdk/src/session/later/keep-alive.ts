import {
  callOf,
  isEdgeApiError,
  isHidden,
  isOffline,
  onPage,
  onVisibility,
  sessionRow,
  weakCallback,
} from '../../already-loaded.ts';
import type { EdgeClientOptions } from '../../api/options.ts';
import type { Caller } from '../caller.ts';
import type { ClientEvents } from '../client-events.ts';
import type { SessionKeeper } from '../session-keeper.ts';
import type { Lease, LeaseParts } from './lease.ts';
import { createLease } from './lease.ts';

/** Milliseconds between two looks at the clock at most, because timers stop while a machine sleeps. */
const maxDelay = 30_000;
/** A timer that is so late fired after a sleep. */
const sleepTime = 5_000;
const maxBackoff = 60_000;

interface KeepAliveParts extends LeaseParts {
  readonly options: Pick<EdgeClientOptions, 'keepAlive' | 'clock'>;
  readonly keeper: Pick<SessionKeeper, 'view'>;
  readonly caller: Pick<Caller, 'perform'>;
  readonly events: Pick<ClientEvents, 'on'>;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/**
 * Extends the session when two thirds of its time have passed. Of several clients with one storage only the one with the lease
 * does it; the others see its result. It runs as long as the application has a reference to the client.
 */
export function startKeepAlive(parts: KeepAliveParts): void {
  const { events, options, disposed } = parts;
  const keepAlive = new KeepAlive(parts);
  const restart = () => keepAlive.plan(0);
  for (const event of ['session', 'extended'] as const) events.on(event, restart, { signal: disposed });
  onVisibility(weakCallback(keepAlive, wakeUp), disposed);
  onPage('online', weakCallback(keepAlive, wakeUp), disposed);
  options.clock?.onJump?.(weakCallback(keepAlive, clockJumped), disposed);
  disposed.addEventListener('abort', () => keepAlive.stop());
  restart();
}

class KeepAlive {
  readonly #parts: KeepAliveParts;
  readonly #lease: Lease;
  /** Clients that share a session do not all look at the same moment. */
  readonly #share = 0.3 + Math.random() / 30;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #plannedFor = 0;
  /** Milliseconds of the wait that one timer is too short for. */
  #rest = 0;
  #failures = 0;
  /** When the controller asked for a pause, and how long, in milliseconds. */
  #refusal = { at: 0, pause: 0 };
  #isExtending = false;
  #isWaking = false;

  constructor(parts: KeepAliveParts) {
    this.#parts = parts;
    this.#lease = createLease(parts, 'keep-alive');
  }

  /** Looks again after these milliseconds. */
  plan(delay: number): void {
    this.stop();
    if (this.#parts.disposed.aborted) return;
    const step = Math.min(delay, maxDelay);
    this.#rest = delay - step;
    this.#plannedFor = this.#parts.clock() + step;
    this.#timer = setTimeout(weakCallback<KeepAlive>(this, lookAgain), step);
    // The timer must not keep a Node process alive.
    if (typeof this.#timer === 'object') this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Something happened that many clients notice at once: the network is back, the machine woke up, the page is shown. */
  wake(): void {
    this.#isWaking = true;
    this.plan(Math.random() * 1_000);
  }

  /** The clock has jumped: no timer knows it. */
  async jump(): Promise<void> {
    this.#isWaking = true;
    this.#rest = 0;
    await this.look();
  }

  /** Extends the session when it is time. Otherwise it plans the next look. */
  look(): Promise<void> | undefined {
    const { clock, options, disposed } = this.#parts;
    const time = this.#timeLeft();
    if (time === null || this.#isExtending || disposed.aborted) return undefined;
    // An event continues.
    if (isOffline() || (options.keepAlive !== 'always' && isHidden())) return undefined;
    const { at, pause } = this.#refusal;
    const passed = clock() - at;
    // An event does not shorten the pause. A clock that was set back does not make it longer.
    const left = Math.max(time, passed < 0 ? 0 : pause - passed);
    // Once: the timers of a hidden page are always late.
    const isAsleep = !this.#isWaking && clock() - this.#plannedFor > sleepTime;
    this.#isWaking = false;
    if (!isAsleep && this.#rest <= 0 && left <= 0) return this.#extend();
    if (isAsleep) this.wake();
    else this.plan(Math.max(this.#rest, left));
    return undefined;
  }

  /** Milliseconds until the session must be extended. `null`: there is nothing to extend. */
  #timeLeft(): number | null {
    const session = this.#parts.keeper.view();
    if (!session?.expiresAt || !session.expirationSeconds) return null;
    return session.expiresAt.getTime() - this.#parts.clock() - session.expirationSeconds * 1_000 * this.#share;
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
    if (taken === 'held') return 1_000 + Math.random() * 1_000;
    try {
      await caller.perform('client', callOf(sessionRow));
      this.#failures = 0;
      return 0;
    } catch (error) {
      this.#failures += 1;
      const jitter = 1 + Math.random() / 4;
      const pause = jitter * 1_000 * ((isEdgeApiError(error) && error.retryAfter) || 0);
      this.#refusal = { at: clock(), pause };
      return pause || jitter * backoff(this.#failures);
    } finally {
      await this.#lease.release().catch(() => undefined);
    }
  }
}

const backoff = (failures: number): number => Math.min(maxBackoff, 500 * 2 ** failures);

const lookAgain = (one: KeepAlive): void => void one.look();
const clockJumped = (one: KeepAlive, waitUntil: (work: Promise<void>) => void): void => waitUntil(one.jump());
const wakeUp = (one: KeepAlive): void => one.wake();
