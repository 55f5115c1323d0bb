import { join } from 'node:path';
import type { Meter } from '../core/meter.ts';
import type { Sealer } from '../core/secrets/sealer.ts';
import { joinStartErrors } from '../core/start/start-error.ts';
import type { Clock, Machine } from '../core/time/clock.ts';
import type { AttemptLimiter, AttemptRate } from './attempt-limits/attempt-limiter.ts';
import type { EntityStore } from './entity-store/entity-store.ts';
import type { Peers } from './peers/peers.ts';
import { sessionTopic } from './peers/topics.ts';
import type { OnApiSessionChange, OnExpired, SessionStore } from './session-store/session-store.ts';
import { watchStores } from './watched-stores.ts';

/** The settings that decide where data is stored. */
export interface StoreSettings {
  /** `null`: SQLite in the data directory. */
  readonly databaseUrl: string | null;
  /** `null`: SQLite in the data directory. */
  readonly redisUrl: string | null;
  readonly dataDir: string;
  /** False for a command that changes data while a controller serves. */
  readonly serves: boolean;
  /** Milliseconds. */
  readonly sessionTimeout: number;
  /** Whether a Redis that may evict API sessions is refused. */
  readonly refuseEviction: boolean;
}

/** What the stores need of the controller. */
interface StoreDependencies {
  readonly clock: Clock;
  /** The clocks that measure the timeout of API sessions. */
  readonly machine: Machine;
  /** Opens the sealer as soon as the entity database is open. */
  readonly openSealer: (database: Promise<EntityStore>) => Promise<Sealer>;
  /** Gets what an operator should know about a store that can be used. */
  readonly warn: (message: string) => void;
  /** Measures the operations of the stores. `null`: they are not measured. */
  readonly meter: Meter | null;
  /** Per client address. It may change. */
  readonly attemptRate: AttemptRate;
}

type Open<Store, Needs = StoreDependencies> = (settings: Omit<StoreSettings, 'serves'>, needs: Needs) => Promise<Store>;

// Each store is imported only when it is used, because a database client takes much of the start time.

/** `embedded`: in the data directory. `url`: on a database server. */
const entityDatabases: Readonly<
  Record<'embedded' | 'url', Open<EntityStore, Pick<StoreDependencies, 'clock' | 'meter'>>>
> = {
  async embedded({ dataDir }, { clock, meter }) {
    const { openDatabaseFile } = await import('./database/sqlite/database-error.ts');
    const { openSqliteEntityStore } = await import('./entity-store/sqlite/entity-store.ts');
    const observe = meter?.statements('sqlite');
    return openDatabaseFile(join(dataDir, 'entities.db'), (file) => openSqliteEntityStore({ file, clock, observe }));
  },
  async url({ databaseUrl }, { clock, meter }) {
    const { openPostgresEntityStore } = await import('./entity-store/postgres/entity-store.ts');
    return openPostgresEntityStore({ url: databaseUrl ?? '', clock, observe: meter?.statements('postgres') });
  },
};

/** Opens the entities alone, beside the controllers that serve. */
export function openEntityStore(settings: Omit<StoreSettings, 'serves'>, clock: Clock): Promise<EntityStore> {
  return entityDatabases[settings.databaseUrl === null ? 'embedded' : 'url'](settings, { clock, meter: null });
}

interface SessionStoreNeeds extends Pick<StoreDependencies, 'clock' | 'machine' | 'warn'> {
  readonly sealer: Promise<Sealer>;
  readonly onExpired: OnExpired;
  readonly onChange: OnApiSessionChange;
}

const sessionStores: Readonly<Record<'embedded' | 'url', Open<SessionStore, SessionStoreNeeds>>> = {
  async embedded({ dataDir, sessionTimeout }, { clock, machine, onChange, onExpired }) {
    const { openDatabaseFile } = await import('./database/sqlite/database-error.ts');
    const { openSqliteSessionStore } = await import('./session-store/sqlite/session-store.ts');
    const options = { timeout: sessionTimeout, clock, machine, onChange, onExpired };
    return openDatabaseFile(join(dataDir, 'sessions.db'), (file) => openSqliteSessionStore({ file, ...options }));
  },
  async url({ redisUrl, sessionTimeout, refuseEviction }, services) {
    const { openRedisSessionStore } = await import('./session-store/redis/session-store.ts');
    return openRedisSessionStore({ url: redisUrl ?? '', timeout: sessionTimeout, refuseEviction, ...services });
  },
};

interface PeersNeeds extends Pick<StoreDependencies, 'clock' | 'warn'> {
  readonly sealer: Promise<Sealer>;
}

/** Controllers that share their sessions are peers. */
const peersOf: Readonly<Record<'embedded' | 'url', Open<Peers, PeersNeeds>>> = {
  async embedded() {
    const { createAlone } = await import('./peers/alone.ts');
    return createAlone();
  },
  async url({ redisUrl }, { clock, sealer, warn }) {
    const { createRedisPeers } = await import('./peers/redis-peers.ts');
    return createRedisPeers({ url: redisUrl ?? '', clock, sealer, warn });
  },
};

/** The limits of attempts are in Redis when the sessions are; otherwise in memory. */
const attemptLimiters: Readonly<Record<'embedded' | 'url', Open<AttemptLimiter>>> = {
  async embedded(_settings, { attemptRate }) {
    const { createMemoryAttemptLimiter } = await import('./attempt-limits/memory-attempt-limiter.ts');
    return createMemoryAttemptLimiter(attemptRate);
  },
  async url({ redisUrl }, { attemptRate }) {
    const { createRedisAttemptLimiter } = await import('./attempt-limits/redis-attempt-limiter.ts');
    return createRedisAttemptLimiter(redisUrl ?? '', attemptRate);
  },
};

export interface Stores {
  readonly database: EntityStore;
  readonly sessions: SessionStore;
  readonly attempts: AttemptLimiter;
  readonly peers: Peers;
  /** Seals the secrets in the stores. */
  readonly sealer: Sealer;
  /** Names who gets the API sessions that have expired. Those that have expired before wait for it. */
  onExpired(listener: OnExpired): void;
  close(): Promise<void>;
}

/**
 * Opens all stores and the sealer. When one cannot be opened, none stays open. A controller that serves locks the data
 * directory if a SQLite file is in it.
 *
 * @throws StartError with the problems of all stores that cannot be used
 */
export async function openStores(settings: StoreSettings, services: StoreDependencies): Promise<Stores> {
  const databasePlace = settings.databaseUrl === null ? 'embedded' : 'url';
  const sessionPlace = settings.redisUrl === null ? 'embedded' : 'url';
  const isEmbedded = databasePlace === 'embedded' || sessionPlace === 'embedded';
  const release = isEmbedded && settings.serves ? await lockDataDirectory(settings.dataDir) : () => undefined;
  const entitiesOpening = entityDatabases[databasePlace](settings, services);
  const sealerOpening = services.openSealer(entitiesOpening);
  const peers = await peersOf[sessionPlace](settings, { ...services, sealer: sealerOpening });
  const countEnded = services.meter?.counter('endedApiSessions', {});
  const listener = Promise.withResolvers<OnExpired>();
  const onExpired: OnExpired = async (sessions) => (await listener.promise)(sessions);
  const onChange: OnApiSessionChange = (change) => {
    if (change.kind === 'ended') countEnded?.(change.ids.length);
    return peers.publish(sessionTopic, change);
  };
  const [database, sessions, attempts, sealer] = await Promise.allSettled([
    entitiesOpening,
    sessionStores[sessionPlace](settings, { ...services, sealer: sealerOpening, onChange, onExpired }),
    attemptLimiters[sessionPlace](settings, services),
    sealerOpening,
  ]);
  const close = async () => {
    await peers.close();
    for (const store of [attempts, sessions, database]) if (store.status === 'fulfilled') await store.value.close();
    release();
  };
  const failures = [database, sessions, attempts, sealer].flatMap((part) =>
    part.status === 'rejected' ? [part.reason] : [],
  );
  if (
    database.status === 'fulfilled' &&
    sessions.status === 'fulfilled' &&
    attempts.status === 'fulfilled' &&
    sealer.status === 'fulfilled'
  ) {
    const opened = { database: database.value, sessions: sessions.value, attempts: attempts.value, peers };
    const system = sessionPlace === 'url' ? 'redis' : 'sqlite';
    const watched = services.meter ? watchStores(opened, system, services.meter) : opened;
    return { ...watched, sealer: sealer.value, onExpired: listener.resolve, close };
  }
  await close();
  throw joinStartErrors(failures);
}

/**
 * Locks the data directory for a process that serves or replaces what is in it. Returns a function that releases it.
 *
 * @throws StartError when another process has it
 */
export async function lockDataDirectory(dataDir: string): Promise<() => void> {
  const { openDatabaseFile } = await import('./database/sqlite/database-error.ts');
  const { lockDirectory } = await import('./database/sqlite/lock-directory.ts');
  return openDatabaseFile(join(dataDir, 'lock.db'), async (file) => lockDirectory(file));
}
