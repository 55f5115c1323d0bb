import { createClaim } from './claim.ts';
import type { ClientCore } from './client-core.ts';
import { callOf, isEdgeApiError, isHidden, isOffline, onPage, onVisibility, sessionRow, weakly } from './shared.ts';

/** Milliseconds between two looks at the clock at most, because timers stop while a machine sleeps. */
const maxDelay = 30_000;
/** A timer that is so late fired after a sleep. */
const sleepTime = 5_000;
const maxBackoff = 60_000;

/**
 * Extends the session when two thirds of its time have passed. Of several clients with one storage only the one with the
 * claim does it; the others see its result. It runs as long as the application holds the client.
 */
export function startKeepAlive(core: ClientCore): void {
  const { keeper, caller, events, clock, disposed, options } = core;
  const claim = createClaim(core, 'keep-alive');
  // Clients that share a session do not all look at the same moment.
  const share = 0.3 + Math.random() / 30;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let plannedFor = 0;
  /** Milliseconds of the wait that one timer is too short for. */
  let rest = 0;
  let failures = 0;
  /** When the controller asked for a pause, and how long, in milliseconds. */
  let refusal = { at: 0, pause: 0 };
  let isExtending = false;
  let isWaking = false;

  function plan(delay: number): void {
    clearTimeout(timer);
    if (disposed.aborted) return;
    const step = Math.min(delay, maxDelay);
    rest = delay - step;
    plannedFor = clock() + step;
    timer = setTimeout(weakly(self, lookAgain), step);
    // The timer must not keep a Node process alive.
    if (typeof timer === 'object') timer.unref();
  }

  /** Something happened that many clients notice at once: the network is back, the machine woke up, the page is shown. */
  function wake(): void {
    isWaking = true;
    plan(Math.random() * 1_000);
  }

  /** Milliseconds until the session must be extended. `null`: there is nothing to extend. */
  function timeLeft(): number | null {
    const session = keeper.view();
    if (!session?.expiresAt || !session.expirationSeconds) return null;
    return session.expiresAt.getTime() - clock() - session.expirationSeconds * 1_000 * share;
  }

  async function extendOnce(): Promise<number> {
    const claimed = await claim.take(async () => true).catch(() => 'mine');
    if (claimed === 'held') return 1_000 + Math.random() * 1_000;
    try {
      await caller.perform('client', callOf(sessionRow));
      failures = 0;
      return 0;
    } catch (error) {
      failures += 1;
      const jitter = 1 + Math.random() / 4;
      refusal = { at: clock(), pause: jitter * 1_000 * ((isEdgeApiError(error) && error.retryAfter) || 0) };
      return refusal.pause || jitter * backoff(failures);
    } finally {
      await claim.release().catch(() => undefined);
    }
  }

  function look(): void {
    const time = timeLeft();
    if (time === null || isExtending || disposed.aborted) return;
    // An event continues.
    if (isOffline() || (options.keepAlive !== 'always' && isHidden())) return;
    const passed = clock() - refusal.at;
    // An event does not shorten the pause. A clock that was set back does not make it longer.
    const left = Math.max(time, passed < 0 ? 0 : refusal.pause - passed);
    // Once: the timers of a hidden page are always late.
    const isAsleep = !isWaking && clock() - plannedFor > sleepTime;
    isWaking = false;
    if (isAsleep) wake();
    else if (rest > 0 || left > 0) plan(Math.max(rest, left));
    else extendNow();
  }

  function extendNow(): void {
    isExtending = true;
    void extendOnce().then((delay) => {
      isExtending = false;
      plan(Math.max(delay, timeLeft() ?? 0));
    });
  }

  const self = { look, wake };
  const restart = () => plan(0);
  for (const event of ['session', 'extended'] as const) events.on(event, restart, { signal: disposed });
  onVisibility(weakly(self, wakeUp), disposed);
  onPage('online', weakly(self, wakeUp), disposed);
  disposed.addEventListener('abort', () => clearTimeout(timer));
  plan(0);
}

const backoff = (failures: number): number => Math.min(maxBackoff, 500 * 2 ** failures);

interface Looking {
  look(): void;
  wake(): void;
}

const lookAgain = (one: Looking): void => one.look();
const wakeUp = (one: Looking): void => one.wake();
