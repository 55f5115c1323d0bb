import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { EntityStore } from './entity-store.ts';
import type { SessionStore } from './session-store.ts';

/** The settings that decide where data is stored, and the limit of attempts. */
export interface StoreSettings {
  /** `null`: SQLite in the data directory. */
  readonly databaseUrl: string | null;
  /** `null`: SQLite in the data directory. */
  readonly redisUrl: string | null;
  readonly dataDir: string;
  /** Milliseconds. */
  readonly sessionTimeout: number;
  /** Attempts per second and client address. 0: no limit. */
  readonly signInRate: number;
  /** Attempts of one client address that may come at once. */
  readonly signInBurst: number;
}

type Open<Store> = (settings: StoreSettings, clock: Clock) => Promise<Store>;

// Each store is imported only when it is used, because a database client takes much of the start time.

/** `embedded`: in the data directory. `url`: on a database server. */
const entityDatabases: Readonly<Record<'embedded' | 'url', Open<EntityStore>>> = {
  async embedded({ dataDir }, clock) {
    const { openSqliteEntityStore } = await import('./sqlite/entity-store.ts');
    return openSqliteEntityStore({ file: join(dataDir, 'entities.db'), clock });
  },
  async url({ databaseUrl }, clock) {
    const { openPostgresEntityStore } = await import('./postgres/entity-store.ts');
    return openPostgresEntityStore({ url: databaseUrl ?? '', clock });
  },
};

const sessionStores: Readonly<Record<'embedded' | 'url', Open<SessionStore>>> = {
  async embedded({ dataDir, sessionTimeout }, clock) {
    const { openSqliteSessionStore } = await import('./sqlite/session-store.ts');
    return openSqliteSessionStore({ file: join(dataDir, 'sessions.db'), timeout: sessionTimeout, clock });
  },
  async url({ redisUrl, sessionTimeout }, clock) {
    const { openRedisSessionStore } = await import('./redis/session-store.ts');
    return openRedisSessionStore({ url: redisUrl ?? '', timeout: sessionTimeout, clock });
  },
};

/** The limits of attempts are in Redis when the sessions are; otherwise in memory. */
const attemptLimiters: Readonly<Record<'embedded' | 'url', Open<AttemptLimiter>>> = {
  async embedded({ signInRate, signInBurst }) {
    const { createMemoryAttemptLimiter } = await import('./memory-attempt-limiter.ts');
    return createMemoryAttemptLimiter({ rate: signInRate, burst: signInBurst });
  },
  async url({ redisUrl, signInRate, signInBurst }) {
    const { createRedisAttemptLimiter } = await import('./redis/attempt-limiter.ts');
    return createRedisAttemptLimiter(redisUrl ?? '', { rate: signInRate, burst: signInBurst });
  },
};

export interface Stores {
  readonly entities: EntityStore;
  readonly sessions: SessionStore;
  readonly attempts: AttemptLimiter;
}

/**
 * Opens all stores. When one cannot be opened, none stays open.
 *
 * @throws StoreUnusable when a store cannot be reached
 */
export async function openStores(settings: StoreSettings, clock: Clock): Promise<Stores> {
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const entities = await entityDatabases[settings.databaseUrl === null ? 'embedded' : 'url'](settings, clock);
  try {
    const place = settings.redisUrl === null ? 'embedded' : 'url';
    const sessions = await sessionStores[place](settings, clock);
    return { entities, sessions, attempts: await attemptLimiters[place](settings, clock) };
  } catch (error) {
    await entities.close();
    throw error;
  }
}
