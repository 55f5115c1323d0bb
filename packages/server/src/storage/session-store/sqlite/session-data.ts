import type Database from 'better-sqlite3';
import { mapErrors } from '../../database/sqlite/errors.ts';
import type { ReplacedData, SessionDataName, SessionDataStore } from '../session-data.ts';

/** The foreign key removes the texts together with their session, whatever removes it. A migration of the file of the sessions. */
export const createSessionDataTable = `create table sessionData (
    tokenHash text not null references sessions (tokenHash) on delete cascade, name text not null, json text not null,
    primary key (tokenHash, name)
  )`;

export interface SqliteSessionData extends SessionDataStore {
  /** For a session whose row was inserted in the same transaction. */
  insert(tokenHash: string, name: SessionDataName, json: string): void;
}

/** Stores the texts of sessions in the file of the sessions. `now` is the clock of their `expiresAt`. */
export function createSessionData(database: Database.Database, now: () => number): SqliteSessionData {
  const isLive = 'exists (select 1 from sessions where tokenHash = @tokenHash and expiresAt > @now)';
  const statements = {
    isLive: database.prepare(`select 1 where ${isLive}`),
    read: database
      .prepare<unknown[], string>(
        `select json from sessionData where tokenHash = @tokenHash and name = @name and ${isLive}`,
      )
      .pluck(),
    write: database.prepare(
      `insert into sessionData (tokenHash, name, json) values (@tokenHash, @name, @json)
        on conflict (tokenHash, name) do update set json = excluded.json`,
    ),
  };
  const read = (tokenHash: string, name: SessionDataName) =>
    statements.read.get({ tokenHash, name, now: now() }) ?? null;
  const insert = (tokenHash: string, name: SessionDataName, json: string) => {
    statements.write.run({ tokenHash, name, json });
  };
  const replace = database.transaction(
    (tokenHash: string, name: SessionDataName, before: string | null, after: string): ReplacedData => {
      if (!statements.isLive.get({ tokenHash, now: now() })) return 'no session';
      if (read(tokenHash, name) !== before) return 'changed';
      insert(tokenHash, name, after);
      return 'replaced';
    },
  );

  return {
    insert,

    read: async (tokenHashes, name) => mapErrors(() => tokenHashes.map((tokenHash) => read(tokenHash, name))),

    replace: async (tokenHash, name, { before, after }) =>
      mapErrors(() => replace.immediate(tokenHash, name, before, after)),
  };
}
