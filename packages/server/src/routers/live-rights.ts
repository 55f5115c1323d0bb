import type { Logger } from '../lib/log.ts';
import type { ServiceAccess } from '../service-access/service-access.ts';
import type { ServiceSessions } from '../service-sessions/service-sessions.ts';
import { currentVersion } from '../session-store/current-version.ts';
import type { SessionStore } from '../session-store/session-store.ts';

/** Milliseconds between two looks at the versions, and between two judgements without one: time alone may take a right away. */
const interval = 200;
const judgeInterval = 1_000;

interface Parts {
  readonly sessions: SessionStore;
  readonly serviceAccess: ServiceAccess;
  readonly serviceSessions: ServiceSessions;
  readonly log: Logger;
  /** The ids of the sessions of services that are in use now. */
  readonly inUse: () => Promise<ReadonlySet<string>>;
  /** These have ended. */
  readonly onEnded: (ids: readonly string[]) => void;
}

/**
 * Judges the sessions whose connections are open, because these are no requests: whenever a right or an entity may have changed, and once
 * a second for what time takes away. What it finds ends everywhere.
 */
export function watchRights({ sessions, serviceAccess, serviceSessions, log, inUse, onEnded }: Parts): () => void {
  let version = '';
  let judgedAt = 0;
  let isRunning = false;

  const judge = async () => {
    const now = `${await serviceAccess.refresh()} ${await currentVersion(sessions)}`;
    if (now === version && performance.now() - judgedAt < judgeInterval) return;
    [version, judgedAt] = [now, performance.now()];
    const ids = [...(await inUse())];
    if (ids.length === 0) return;
    const found = (await Promise.all(ids.map((id) => sessions.serviceSessions.find(id)))).filter((one) => one !== null);
    const held = new Set((await serviceSessions.held(found)).map(({ session }) => session.id));
    const ended = ids.filter((id) => !held.has(id));
    if (ended.length > 0) onEnded(ended);
  };

  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    judge()
      // While a store cannot be reached, nobody can take a right away either.
      .catch((error: unknown) => log.debug({ err: error }, 'the rights of open connections cannot be judged'))
      .finally(() => {
        isRunning = false;
      });
  }, interval).unref();
  return () => clearInterval(timer);
}
