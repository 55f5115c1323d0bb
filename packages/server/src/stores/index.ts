import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import type { EntityStore } from './entity-store.ts';
import { openPostgresEntityStore } from './postgres/entity-store.ts';
import { openRedisSessionStore } from './redis/session-store.ts';
import type { SessionStore } from './session-store.ts';
import { openSqliteEntityStore } from './sqlite/entity-store.ts';
import { openSqliteSessionStore } from './sqlite/session-store.ts';

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

/** Entity databases by the way they are asked for. */
const entityDatabases: Readonly<Record<'embedded' | 'url', Open<EntityStore>>> = {
  embedded: ({ dataDir }, clock) => openSqliteEntityStore({ file: join(dataDir, 'entities.db'), clock }),
  url: ({ databaseUrl }, clock) => openPostgresEntityStore({ url: databaseUrl ?? '', clock }),
};

/** Session stores by the way they are asked for. */
const sessionStores: Readonly<Record<'embedded' | 'url', Open<SessionStore>>> = {
  embedded: ({ dataDir, sessionTimeout }, clock) =>
    openSqliteSessionStore({ file: join(dataDir, 'sessions.db'), timeout: sessionTimeout, clock }),
  url: ({ redisUrl, sessionTimeout }, clock) =>
    openRedisSessionStore({ url: redisUrl ?? '', timeout: sessionTimeout, clock }),
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
