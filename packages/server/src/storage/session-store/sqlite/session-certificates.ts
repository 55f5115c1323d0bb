import type Database from 'better-sqlite3';
import { mapErrors } from '../../database/sqlite/errors.ts';
import type { SessionCertificate, SessionCertificateStore } from '../session-certificates.ts';

/** The foreign key removes certificates together with their session, whatever removes it. */
const table = `create table certificates (
    tokenHash text not null references sessions (tokenHash) on delete cascade, id text not null, subject text not null,
    fingerprint text not null, validFrom integer not null, validTo integer not null, certPem text not null,
    createdAt integer not null, primary key (tokenHash, id)
  )`;

/** Migrations of the file of the sessions. */
export const createCertificatesTable = `${table} without rowid`;
/** Rows of the length of a certificate belong into a table with row ids: new ones go to its end, and they take half the space. */
export const giveCertificatesRowIds = `alter table certificates rename to formerCertificates;
  ${table};
  insert into certificates select * from formerCertificates;
  drop table formerCertificates`;

export interface SqliteSessionCertificates extends SessionCertificateStore {
  /** For a session whose row was inserted in the same transaction. */
  insert(tokenHash: string, certificate: SessionCertificate): void;
}

interface SessionCertificatesOptions {
  readonly database: Database.Database;
  /** The clock of `expiresAt` of sessions. */
  readonly now: () => number;
  readonly onChange: (tokenHash: string) => Promise<void>;
}

/** Stores the certificates of sessions in the file of the sessions. */
export function createSessionCertificates({
  database,
  now,
  onChange,
}: SessionCertificatesOptions): SqliteSessionCertificates {
  const ofLive = 'tokenHash in (select tokenHash from sessions where tokenHash = @tokenHash and expiresAt > @now)';
  const columns = 'id, subject, fingerprint, validFrom, validTo, certPem, createdAt';
  const statements = {
    isLive: database.prepare('select 1 from sessions where tokenHash = @tokenHash and expiresAt > @now').pluck(),
    list: database.prepare<unknown[], SessionCertificate>(`select ${columns} from certificates where ${ofLive}`),
    countOthers: database
      .prepare<unknown[], number>(
        `select count(*) from certificates where tokenHash = @tokenHash
          and id not in (select value from json_each(@removedIds))`,
      )
      .pluck(),
    insert: database.prepare(`insert into certificates (tokenHash, ${columns})
      values (@tokenHash, @id, @subject, @fingerprint, @validFrom, @validTo, @certPem, @createdAt)`),
    remove: database.prepare(`delete from certificates where ${ofLive} and id = @id`),
  };
  const insert = (tokenHash: string, certificate: SessionCertificate) => {
    statements.insert.run({ ...certificate, tokenHash });
  };
  const add = database.transaction(
    (tokenHash: string, certificate: SessionCertificate, limit: number, removedIds: readonly string[]) => {
      if (!statements.isLive.get({ tokenHash, now: now() })) return 'no session';
      const others = statements.countOthers.get({ tokenHash, removedIds: JSON.stringify(removedIds) }) ?? 0;
      if (others >= limit) return 'full';
      for (const id of removedIds) statements.remove.run({ tokenHash, id, now: now() });
      insert(tokenHash, certificate);
      return 'added';
    },
  );

  return {
    insert,

    list: async (tokenHash) => mapErrors(() => statements.list.all({ tokenHash, now: now() })),

    async add(tokenHash, certificate, { limit, removedIds = [] }) {
      const added = mapErrors(() => add.immediate(tokenHash, certificate, limit, removedIds));
      if (added === 'added') await onChange(tokenHash);
      return added;
    },

    async remove(tokenHash, id) {
      const isRemoved = mapErrors(() => statements.remove.run({ tokenHash, id, now: now() })).changes === 1;
      if (isRemoved) await onChange(tokenHash);
      return isRemoved;
    },
  };
}
