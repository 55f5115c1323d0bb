import type { ServiceAccess } from '../access/service-access/service-access.ts';
import type { ServiceSessions } from '../access/service-sessions/service-sessions.ts';
import type { Logger } from '../core/log/log.ts';
import { currentVersion } from '../storage/session-store/current-version.ts';
import type { SessionStore } from '../storage/session-store/session-store.ts';
import type { SessionUse } from './session-use.ts';
import { mayUseRouter } from './session-use.ts';

/** Milliseconds between two checks of the versions, and between two judgements of what time may take away. */
const interval = 200;
const timedInterval = 1_000;
/** Sessions that are judged in one step, so that requests do not wait for all. */
const batchSize = 500;

interface LiveRightsOptions {
  readonly sessions: SessionStore;
  readonly serviceAccess: ServiceAccess;
  readonly serviceSessions: ServiceSessions;
  readonly log: Logger;
  /** The sessions of services whose connections are open, at each of their routers. */
  readonly inUse: () => Iterable<SessionUse>;
  /** A right or an entity may have changed. */
  readonly onChanged: () => void;
  /** These have ended. */
  readonly onEnded: (ids: readonly string[]) => void;
  /** These may not use their routers any more. */
  readonly onRouterLost: (uses: readonly SessionUse[]) => void;
}

/**
 * Judges the sessions whose connections are open, because these are no requests: all of them, and their routers, whenever a right or
 * an entity may have changed; and once a second those that posture checks decide about, because time alone may take these away.
 */
export class LiveRights {
  readonly #parts: LiveRightsOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #stop: () => void;
  #version = '';
  #timedAt = 0;
  /** Those that no posture check decides about. */
  #untimed = new Set<string>();
  #running: Promise<void> | null = null;

  constructor(parts: LiveRightsOptions) {
    this.#parts = parts;
    // Other controllers change rights, too, and time does.
    this.#timer = setInterval(() => void this.#check(), interval).unref();
    this.#stop = parts.serviceSessions.onRightsChanged(() => this.#checkAgain());
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stop();
  }

  #check(): Promise<void> {
    this.#running ??= this.#tryToJudge().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** The check that runs may have begun before the change. */
  async #checkAgain(): Promise<void> {
    await this.#running;
    await this.#check();
  }

  async #tryToJudge(): Promise<void> {
    try {
      await this.#judge();
    } catch (error) {
      // While a store cannot be reached, nobody can take a right away either.
      this.#parts.log.debug({ err: error }, 'the rights of open connections cannot be judged');
    }
  }

  async #judge(): Promise<void> {
    const { serviceAccess, sessions, inUse } = this.#parts;
    const version = `${await serviceAccess.refresh()} ${await currentVersion(sessions)}`;
    const now = performance.now();
    if (version !== this.#version) {
      this.#untimed = new Set();
      this.#parts.onChanged();
    } else if (now - this.#timedAt < timedInterval) return;
    const unique = Map.groupBy(inUse(), ({ session }) => session.id);
    const due = [...unique].flatMap(([id, uses]) => (this.#untimed.has(id) ? [] : [uses]));
    for (let at = 0; at < due.length; at += batchSize) await this.#judgeBatch(due.slice(at, at + batchSize));
    // Only now: what failed half-way is judged again.
    [this.#version, this.#timedAt] = [version, now];
    this.#untimed = new Set([...this.#untimed].filter((id) => unique.has(id)));
  }

  /** Each of the batch has the uses of one session. */
  async #judgeBatch(batch: readonly (readonly SessionUse[])[]): Promise<void> {
    const sessions = batch.flatMap(([use]) => use?.session ?? []);
    const valid = await this.#parts.serviceSessions.validate(sessions);
    for (const { session, policies } of valid) {
      if (policies.some(({ checks }) => checks.length === 0)) this.#untimed.add(session.id);
    }
    const live = new Set(valid.map(({ session }) => session.id));
    const ended = sessions.flatMap(({ id }) => (live.has(id) ? [] : [id]));
    if (ended.length > 0) this.#parts.onEnded(ended);
    const uses = batch.flat().filter(({ session }) => live.has(session.id));
    const lost = await this.#lostOf(uses);
    if (lost.length > 0) this.#parts.onRouterLost(lost);
  }

  /** Those that may not use their routers any more, each once. */
  async #lostOf(uses: readonly SessionUse[]): Promise<readonly SessionUse[]> {
    const unique = new Map(uses.map((use) => [`${use.session.id} ${use.routerId}`, use]));
    const judged = await Promise.all(
      [...unique.values()].map(async (use) => ((await mayUseRouter(this.#parts.serviceAccess, use)) ? [] : [use])),
    );
    return judged.flat();
  }
}
