import { callOf, isHidden, onVisibility, sessionRow, weakCallback } from '../already-loaded.ts';
import type { EdgeClientOptions } from '../api/options.ts';
import type { Clock } from '../lib/clock.ts';
import type { Caller } from './caller.ts';
import type { ClientEvents } from './client-events.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { SessionProbe } from './session-probe.ts';

/** Milliseconds between two looks at the clock at most, because timers stop while a machine sleeps. */
const maxDelay = 30_000;

interface MonitorParts {
  readonly options: Pick<EdgeClientOptions, 'reauthenticate'>;
  readonly keeper: Pick<SessionKeeper, 'current' | 'state' | 'becomeStale' | 'end'>;
  readonly caller: Pick<Caller, 'perform' | 'wasUsed'>;
  readonly probe: Pick<SessionProbe, 'isAlive'>;
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
  const { keeper, events, clock, caller, probe, options, disposed } = parts;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The end for which `expiring` was emitted. */
  let warnedFor = 0;

  async function passed(token: string): Promise<void> {
    const mayAsk = !options.reauthenticate && !isHidden() && caller.wasUsed();
    if (!mayAsk) keeper.becomeStale(token, 'timePassed');
    else if (await probe.isAlive(token)) lookIfIdle();
    else await keeper.end(token, 'expired');
  }

  /** A session whose time had passed may have been extended. */
  function lookIfIdle(): void {
    if (timer === undefined) self.look();
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  const self = {
    /** Looks at the clock, and again later. */
    look(): void {
      stop();
      const { detail, expiresAt, view } = keeper.current() ?? {};
      if (disposed.aborted || !detail || !expiresAt || !view?.expirationSeconds) return;
      const left = expiresAt - clock();
      const warning = Math.min(60_000, view.expirationSeconds * 100);
      if (left <= 0) {
        passed(detail.token).catch(() => undefined);
        return;
      }
      // An end that moved by less than a second counts as the same one.
      const isWarned = () => Math.abs(expiresAt - warnedFor) < 1_000;
      if (left <= warning && !isWarned()) {
        warnedFor = expiresAt;
        events.emit('expiring', view);
      }
      timer = setTimeout(weakCallback(self, lookAgain), Math.min(isWarned() ? left : left - warning, maxDelay));
      // The timer must not keep a Node process alive.
      if (typeof timer === 'object') timer.unref();
    },
    shown(): void {
      if (keeper.state() === 'stale' && !isHidden())
        caller.perform('client', callOf(sessionRow)).catch(() => undefined);
    },
  };

  events.on('sessionChange', self.look, { signal: disposed });
  for (const event of ['stateChange', 'session', 'extended'] as const) {
    events.on(event, lookIfIdle, { signal: disposed });
  }
  onVisibility(weakCallback(self, pageShown), disposed);
  disposed.addEventListener('abort', stop);
  self.look();
}

const lookAgain = (monitor: { look(): void }): void => monitor.look();
const pageShown = (monitor: { shown(): void }): void => monitor.shown();
