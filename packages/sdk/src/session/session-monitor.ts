import type { EdgeClientOptions } from '../api/options.ts';
import { callOf, peekQuery, sessionRow } from '../calls/own-calls.ts';
import type { Clock } from '../lib/clock.ts';
import { isHidden, isOffline, onPage, onVisibility } from '../lib/page.ts';
import { weakCallback } from '../lib/weak-callback.ts';
import type { Caller } from './caller.ts';
import type { ClientEvents } from './client-events.ts';
import type { SessionManager } from './session-manager.ts';
import type { SessionProbe } from './session-probe.ts';
import type { StoredSession } from './stored-session.ts';

/** An end that moved by fewer milliseconds counts as the same one. */
const sameEnd = 1_000;
const maxBackoff = 60_000;

interface MonitorParts {
  readonly options: Pick<EdgeClientOptions, 'reauthenticate' | 'clock'>;
  readonly manager: Pick<SessionManager, 'current' | 'token' | 'state' | 'becomeStale' | 'end' | 'canPeek'>;
  readonly caller: Pick<Caller, 'perform' | 'wasUsed'>;
  readonly probe: Pick<SessionProbe, 'isAlive'>;
  readonly stored: Pick<StoredSession, 'restore'>;
  readonly events: ClientEvents;
  readonly clock: Clock;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/**
 * Watches the time of the session, and asks the controller about a session that is in doubt. It runs as long as the application
 * has a reference to the client.
 */
export function startSessionMonitor(parts: MonitorParts): void {
  const { events, options, disposed } = parts;
  const monitor = new SessionMonitor(parts);
  events.on('sessionChange', () => monitor.check(), { signal: disposed });
  for (const event of ['stateChange', 'session', 'extended'] as const) {
    events.on(event, () => monitor.checkIfIdle(), { signal: disposed });
  }
  events.on('unreached', () => monitor.retryLater(), { signal: disposed });
  onVisibility(weakCallback(monitor, pageShown), disposed);
  onPage('online', weakCallback(monitor, retryNow), disposed);
  options.clock?.onJump?.(weakCallback(monitor, clockJumped), disposed);
  disposed.addEventListener('abort', () => monitor.stop());
  monitor.check();
}

type Timer = ReturnType<typeof setTimeout>;

class SessionMonitor {
  readonly #parts: MonitorParts;
  /** The next check of the clock. */
  #timer: Timer | undefined;
  /** The end for which `expiring` was emitted. */
  #warnedFor = 0;
  /** The next question after one without an answer. */
  #retry: Timer | undefined;
  #failures = 0;

  constructor(parts: MonitorParts) {
    this.#parts = parts;
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
    this.#timer = undefined;
    this.#retry = undefined;
  }

  /** A session whose time had passed may have been extended. */
  checkIfIdle(): void {
    if (!this.#isInDoubt()) {
      this.#failures = 0;
      clearTimeout(this.#retry);
      this.#retry = undefined;
    }
    if (this.#timer === undefined) this.check();
  }

  /** Checks the clock, and again later. The result is there when the listeners know what the time means for the session. */
  check(): Promise<void> | undefined {
    const { manager, clock, disposed } = this.#parts;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { detail, expiresAt, view, shownAt = 0 } = manager.current() ?? {};
    if (disposed.aborted || !detail || !expiresAt || !view?.expirationSeconds) return undefined;
    const left = expiresAt - clock();
    const warning = Math.min(60_000, view.expirationSeconds * 100);
    if (left <= 0) {
      // It is asked again already, or waits for the next call.
      if (manager.state() === 'stale') return undefined;
      return this.#atEnd(detail.token).catch(() => undefined);
    }
    const isWarned = () => Math.abs(expiresAt - this.#warnedFor) < sameEnd;
    let warned: Promise<void> | undefined;
    if (left <= warning && !isWarned()) {
      this.#warnedFor = expiresAt;
      warned = this.#warn(detail.token, expiresAt, left).catch(() => undefined);
    }
    // What the controller has shown is of the future when the clock was set back, and the end is later than it should be.
    if (manager.canPeek() && shownAt - clock() > sameEnd) this.ask().catch(() => undefined);
    // Timers stop while a machine sleeps, and do not know that a clock was set.
    this.#timer = setWeakTimeout(this, checkAgain, Math.min(isWarned() ? left : left - warning, warning / 2));
    return warned;
  }

  /** The clock has jumped: no timer knows it. */
  async jump(): Promise<void> {
    if (this.#retry !== undefined) await this.ask();
    await this.check();
  }

  /** The network or a person is back. */
  retryNow(): void {
    if (this.#retry === undefined || !this.#isInDoubt()) return;
    clearTimeout(this.#retry);
    // The tabs of a browser notice it together.
    this.#retry = setWeakTimeout(this, askAgain, Math.random() * 300);
  }

  /** A request did not reach the controller. */
  retryLater(): void {
    if (this.#parts.disposed.aborted || this.#retry !== undefined || !this.#isInDoubt()) return;
    const backoff = Math.min(maxBackoff, 1_000 * 2 ** this.#failures);
    this.#failures += 1;
    this.#retry = setWeakTimeout(this, askAgain, backoff * (0.75 + Math.random() / 2));
  }

  /** A person looks at the page. */
  shown(): void {
    const { caller, manager } = this.#parts;
    if (isHidden()) return;
    if (manager.state() === 'stale') {
      caller.perform('client', callOf(sessionRow, {}, undefined, peekQuery)).catch(() => undefined);
      return;
    }
    this.retryNow();
    // After a sleep of the machine the timer is late.
    this.check();
  }

  /** Asks about a session that is in doubt. While nobody looks, and without a network, an event continues. */
  async ask(): Promise<void> {
    const { manager, probe, stored, options } = this.#parts;
    if (isHidden() || isOffline()) return;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    const token = manager.token();
    if (token === null) {
      await stored.restore().catch(() => this.retryLater());
      return;
    }
    const isAlive = await probe.isAlive(token);
    if (isAlive === null) this.retryLater();
    // The next call replaces the session of a client with `reauthenticate`.
    if (isAlive === false && !options.reauthenticate) await manager.end(token, 'expired');
  }

  /** A question without an answer must be asked again, because the session may still exist. */
  #isInDoubt(): boolean {
    const state = this.#parts.manager.state();
    return state === 'stale' || state === 'unknown';
  }

  async #atEnd(token: string): Promise<void> {
    const { manager, caller, probe, options } = this.#parts;
    // A question to a controller that counts it as a use must not keep a session alive that nobody uses.
    const mayAsk = !options.reauthenticate && (manager.canPeek() || (!isHidden() && caller.wasUsed()));
    if (!mayAsk) return manager.becomeStale(token, 'timePassed');
    if (await this.#isKnown(token, 1_000)) return this.check();
    const isAlive = await probe.isAlive(token);
    if (isAlive === false) return manager.end(token, 'expired');
    const expiresAt = manager.token() === token && manager.current()?.expiresAt;
    if (isAlive && expiresAt && expiresAt > this.#parts.clock()) return this.checkIfIdle();
    manager.becomeStale(token, 'timePassed');
    this.retryLater();
  }

  /** Somebody may have used the session without this client, so the controller is asked before `expiring`. */
  async #warn(token: string, expiresAt: number, left: number): Promise<void> {
    const { manager, probe, events } = this.#parts;
    const isSame = () =>
      manager.token() === token && Math.abs(Number(manager.current()?.expiresAt) - expiresAt) < sameEnd;
    if (manager.canPeek() && !isOffline()) {
      if (await this.#isKnown(token, Math.min(1_000, left / 4))) return;
      const isAlive = await probe.isAlive(token, left / 2);
      if (isAlive === false) return this.#parts.options.reauthenticate ? undefined : manager.end(token, 'expired');
    }
    const { view } = manager.current() ?? {};
    if (view && isSame()) events.emit('expiring', view);
    else this.checkIfIdle();
  }

  /** Whether another tab has found out meanwhile. Hidden tabs wait a moment for that. */
  async #isKnown(token: string, wait: number): Promise<boolean> {
    if (!isHidden()) return false;
    const { manager } = this.#parts;
    const before = manager.current()?.expiresAt;
    await new Promise((resolve) => setTimeout(resolve, wait * (0.2 + 0.8 * Math.random())));
    return manager.token() !== token || manager.current()?.expiresAt !== before;
  }
}

/** The timer must not keep a Node process alive. */
function setWeakTimeout(monitor: SessionMonitor, run: (monitor: SessionMonitor) => void, delay: number): Timer {
  const timer = setTimeout(weakCallback(monitor, run), delay);
  if (typeof timer === 'object') timer.unref();
  return timer;
}

const checkAgain = (monitor: SessionMonitor): void => void monitor.check();
const askAgain = (monitor: SessionMonitor): void => void monitor.ask().catch(() => undefined);
const clockJumped = (monitor: SessionMonitor, waitUntil: (work: Promise<void>) => void): void =>
  waitUntil(monitor.jump().catch(() => undefined));
const retryNow = (monitor: SessionMonitor): void => monitor.retryNow();
const pageShown = (monitor: SessionMonitor): void => monitor.shown();
