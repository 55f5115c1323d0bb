import { join } from 'node:path';
import type { AttemptLimiter } from './attempt-limits/attempt-limiter.ts';
import type { EntityStore } from './entity-store/entity-store.ts';
import type { Clock } from './lib/clock.ts';
import type { Sealer } from './lib/sealer.ts';
import { joinStartErrors } from './lib/start-error.ts';
import type { Machine } from './lib/steady-clock.ts';
import type { Peers } from './peers/peers.ts';
import { sessionTopic } from './peers/topics.ts';
import type { OnApiSessionChange, SessionStore } from './session-store/session-store.ts';

/** The settings that decide where data is stored, and the limit of attempts. */
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
  /** Attempts per second and client address. 0: no limit. */
  readonly signInRate: number;
  /** Attempts of one client address that may come at once. */
  readonly signInBurst: number;
}

/** What the stores need of the controller. */
interface StoreServices {
  readonly clock: Clock;
  /** The clocks that measure the timeout of API sessions. */
  readonly machine: Machine;
  /** Opens the sealer as soon as the entity database is open. */
  readonly openSealer: (entities: Promise<EntityStore>) => Promise<Sealer>;
  /** Gets what an operator should know about a store that can be used. */
  readonly warn: (message: string) => void;
}

type Open<Store, Needs = StoreServices> = (settings: Omit<StoreSettings, 'serves'>, needs: Needs) => Promise<Store>;

// Each store is imported only when it is used, because a database client takes much of the start time.

/** `embedded`: in the data directory. `url`: on a database server. */
const entityDatabases: Readonly<Record<'embedded' | 'url', Open<EntityStore, Pick<StoreServices, 'clock'>>>> = {
  async embedded({ dataDir }, { clock }) {
    const { openDatabaseFile } = await import('./database/sqlite/database-error.ts');
    const { openSqliteEntityStore } = await import('./entity-store/sqlite/entity-store.ts');
    return openDatabaseFile(join(dataDir, 'entities.db'), (file) => openSqliteEntityStore({ file, clock }));
  },
  async url({ databaseUrl }, { clock }) {
    const { openPostgresEntityStore } = await import('./entity-store/postgres/entity-store.ts');
    return openPostgresEntityStore({ url: databaseUrl ?? '', clock });
  },
};

/** Opens the entities alone, beside the controllers that serve. */
export function openEntityStore(settings: Omit<StoreSettings, 'serves'>, clock: Clock): Promise<EntityStore> {
  return entityDatabases[settings.databaseUrl === null ? 'embedded' : 'url'](settings, { clock });
}

interface SessionStoreNeeds extends Pick<StoreServices, 'clock' | 'machine' | 'warn'> {
  readonly sealer: Promise<Sealer>;
  readonly onChange: OnApiSessionChange;
}

const sessionStores: Readonly<Record<'embedded' | 'url', Open<SessionStore, SessionStoreNeeds>>> = {
  async embedded({ dataDir, sessionTimeout }, { clock, machine, onChange }) {
    const { openDatabaseFile } = await import('./database/sqlite/database-error.ts');
    const { openSqliteSessionStore } = await import('./session-store/sqlite/session-store.ts');
    const options = { timeout: sessionTimeout, clock, machine, onChange };
    return openDatabaseFile(join(dataDir, 'sessions.db'), (file) => openSqliteSessionStore({ file, ...options }));
  },
  async url({ redisUrl, sessionTimeout, refuseEviction }, services) {
    const { openRedisSessionStore } = await import('./session-store/redis/session-store.ts');
    return openRedisSessionStore({ url: redisUrl ?? '', timeout: sessionTimeout, refuseEviction, ...services });
  },
};

/** Controllers that share their sessions are peers. */
const peersOf: Readonly<Record<'embedded' | 'url', Open<Peers>>> = {
  async embedded() {
    const { createAlone } = await import('./peers/alone.ts');
    return createAlone();
  },
  async url({ redisUrl }, { clock }) {
    const { createRedisPeers } = await import('./peers/redis-peers.ts');
    return createRedisPeers(redisUrl ?? '', clock);
  },
};

/** The limits of attempts are in Redis when the sessions are; otherwise in memory. */
const attemptLimiters: Readonly<Record<'embedded' | 'url', Open<AttemptLimiter>>> = {
  async embedded({ signInRate, signInBurst }) {
    const { createMemoryAttemptLimiter } = await import('./attempt-limits/memory-attempt-limiter.ts');
    return createMemoryAttemptLimiter({ rate: signInRate, burst: signInBurst });
  },
  async url({ redisUrl, signInRate, signInBurst }) {
    const { createRedisAttemptLimiter } = await import('./attempt-limits/redis-attempt-limiter.ts');
    return createRedisAttemptLimiter(redisUrl ?? '', { rate: signInRate, burst: signInBurst });
  },
};

export interface Stores {
  readonly entities: EntityStore;
  readonly sessions: SessionStore;
  readonly attempts: AttemptLimiter;
  readonly peers: Peers;
  /** Seals the secrets in the stores. */
  readonly sealer: Sealer;
  close(): Promise<void>;
}

/**
 * Opens all stores and the sealer. When one cannot be opened, none stays open. A controller that serves locks the data
 * directory if a SQLite file is in it.
 *
 * @throws StartError with the problems of all stores that cannot be used
 */
export async function openStores(settings: StoreSettings, services: StoreServices): Promise<Stores> {
  const databasePlace = settings.databaseUrl === null ? 'embedded' : 'url';
  const sessionPlace = settings.redisUrl === null ? 'embedded' : 'url';
  const isEmbedded = databasePlace === 'embedded' || sessionPlace === 'embedded';
  const release = isEmbedded && settings.serves ? await lock(settings.dataDir) : () => undefined;
  const entitiesOpening = entityDatabases[databasePlace](settings, services);
  const sealerOpening = services.openSealer(entitiesOpening);
  const peers = await peersOf[sessionPlace](settings, services);
  const onChange: OnApiSessionChange = (change) => peers.tell(sessionTopic, change);
  const [entities, sessions, attempts, sealer] = await Promise.allSettled([
    entitiesOpening,
    sessionStores[sessionPlace](settings, { ...services, sealer: sealerOpening, onChange }),
    attemptLimiters[sessionPlace](settings, services),
    sealerOpening,
  ]);
  const close = async () => {
    await peers.close();
    for (const store of [attempts, sessions, entities]) if (store.status === 'fulfilled') await store.value.close();
    release();
  };
  const failures = [entities, sessions, attempts, sealer].flatMap((part) =>
    part.status === 'rejected' ? [part.reason] : [],
  );
  if (
    entities.status === 'fulfilled' &&
    sessions.status === 'fulfilled' &&
    attempts.status === 'fulfilled' &&
    sealer.status === 'fulfilled'
  ) {
    return {
      entities: entities.value,
      sessions: sessions.value,
      attempts: attempts.value,
      peers,
      sealer: sealer.value,
      close,
    };
  }
  await close();
  throw joinStartErrors(failures);
}

async function lock(dataDir: string): Promise<() => void> {
  const { openDatabaseFile } = await import('./database/sqlite/database-error.ts');
  const { lockDirectory } = await import('./database/sqlite/lock-directory.ts');
  return openDatabaseFile(join(dataDir, 'lock.db'), async (file) => lockDirectory(file));
}
