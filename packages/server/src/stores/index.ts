import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import type { EntityStore } from './entity-store.ts';
import type { SessionStore } from './session-store.ts';

/** What decides where data lives. */
export interface StoreSettings {
  /** `null`: SQLite in the data directory. */
  readonly databaseUrl: string | null;
  /** `null`: SQLite in the data directory. */
  readonly redisUrl: string | null;
  readonly dataDir: string;
  /** Milliseconds. */
  readonly sessionTimeout: number;
}

type Open<Store> = (settings: StoreSettings, clock: Clock) => Promise<Store>;

// A store is loaded when it is asked for: each brings a database client, which costs much of the time of a start.

/** Entity databases by the way they are asked for. */
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

/** Session stores by the way they are asked for. */
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

/** Opens both stores, or neither. `Error` says which one cannot be reached. */
export async function openStores(
  settings: StoreSettings,
  clock: Clock,
): Promise<{ entities: EntityStore; sessions: SessionStore }> {
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const entities = await entityDatabases[settings.databaseUrl === null ? 'embedded' : 'url'](settings, clock);
  try {
    const sessions = await sessionStores[settings.redisUrl === null ? 'embedded' : 'url'](settings, clock);
    return { entities, sessions };
  } catch (error) {
    await entities.close();
    throw error;
  }
}
