import type { Logger } from '../lib/log.ts';
import type { ServiceAccess } from '../service-access/service-access.ts';
import type { ServiceSessions } from '../service-sessions/service-sessions.ts';
import { currentVersion } from '../session-store/current-version.ts';
import type { StoredServiceSession } from '../session-store/service-sessions.ts';
import type { SessionStore } from '../session-store/session-store.ts';

/** Milliseconds between two looks at the versions, and between two judgements of what time may take away. */
const interval = 200;
const timedInterval = 1_000;
/** Sessions that are judged in one step, so that requests do not wait for all. */
const batchSize = 500;

interface Parts {
  readonly sessions: SessionStore;
  readonly serviceAccess: ServiceAccess;
  readonly serviceSessions: ServiceSessions;
  readonly log: Logger;
  /** The sessions of services whose connections are open. */
  readonly inUse: () => Iterable<StoredServiceSession>;
  /** These have ended. */
  readonly onEnded: (ids: readonly string[]) => void;
}

/**
 * Judges the sessions whose connections are open, because these are no requests: all of them whenever a right or an entity may have
 * changed, and once a second those that posture checks decide about, because time alone may take these away.
 */
export class LiveRights {
  readonly #parts: Parts;
  readonly #timer: NodeJS.Timeout;
  #version = '';
  #timedAt = 0;
  /** Those that no posture check decides about. */
  #untimed = new Set<string>();
  #isRunning = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#look(), interval).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      await this.#judge();
    } catch (error) {
      // While a store cannot be reached, nobody can take a right away either.
      this.#parts.log.debug({ err: error }, 'the rights of open connections cannot be judged');
    } finally {
      this.#isRunning = false;
    }
  }

  async #judge(): Promise<void> {
    const { serviceAccess, sessions, inUse } = this.#parts;
    const version = `${await serviceAccess.refresh()} ${await currentVersion(sessions)}`;
    const now = performance.now();
    if (version !== this.#version) this.#untimed = new Set();
    else if (now - this.#timedAt < timedInterval) return;
    const unique = new Map(Iterator.from(inUse()).map((session) => [session.id, session]));
    const due = [...unique.values()].filter(({ id }) => !this.#untimed.has(id));
    for (let at = 0; at < due.length; at += batchSize) await this.#judgeBatch(due.slice(at, at + batchSize));
    // Only now: what failed half-way is judged again.
    [this.#version, this.#timedAt] = [version, now];
    this.#untimed = new Set([...this.#untimed].filter((id) => unique.has(id)));
  }

  async #judgeBatch(batch: readonly StoredServiceSession[]): Promise<void> {
    const held = await this.#parts.serviceSessions.held(batch);
    for (const { session, policies } of held) {
      if (policies.some(({ checks }) => checks.length === 0)) this.#untimed.add(session.id);
    }
    const live = new Set(held.map(({ session }) => session.id));
    const ended = batch.flatMap(({ id }) => (live.has(id) ? [] : [id]));
    if (ended.length > 0) this.#parts.onEnded(ended);
  }
}
