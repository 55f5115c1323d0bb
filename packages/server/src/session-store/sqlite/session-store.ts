import type Database from 'better-sqlite3';
import { sql } from 'kysely';
import { sqliteDialect } from '../../database/sql/dialect.ts';
import { listRows } from '../../database/sql/list-rows.ts';
import { mapErrors } from '../../database/sqlite/errors.ts';
import { createListPool } from '../../database/sqlite/list-pool.ts';
import { openFile } from '../../database/sqlite/open-file.ts';
import type { Clock } from '../../lib/clock.ts';
import { mapPage } from '../../lib/filter/map-page.ts';
import type { Machine, Mark } from '../../lib/steady-clock.ts';
import { continueSteadyClock, thisMachine } from '../../lib/steady-clock.ts';
import type { SessionCertificate } from '../session-certificates.ts';
import { sessionFields } from '../session-fields.ts';
import type { SessionStore } from '../session-store.ts';
import { createBatchedTouch } from './batched-touch.ts';
import { createCertificatesTable, createSessionCertificates, giveCertificatesRowIds } from './session-certificates.ts';
import type { SessionRow } from './session-row.ts';
import { changeable, fromRow, toRow } from './session-row.ts';

const sweepInterval = 5_000;

/** Each runs once, in this order. Append only. */
const migrations = [
  `create table if not exists sessions (
    tokenHash text primary key, id text not null unique, sealedToken text not null, identityId text not null,
    authenticatorId text not null, ipAddress text not null, configTypes text not null, createdAt integer not null,
    updatedAt integer not null, isMfaRequired integer not null, isMfaComplete integer not null,
    lastActivityAt integer not null, expiresAt integer not null
  ) without rowid;
  create index if not exists sessions_identityId on sessions (identityId);
  create index if not exists sessions_expiresAt on sessions (expiresAt)`,
  `alter table sessions add column method text not null default 'password';
  alter table sessions add column mfaId text`,
  `create table version (value integer not null);
  insert into version values (0)`,
  // With `id`, because it decides the order of sessions that were created in the same millisecond.
  `create index sessions_createdAt on sessions (createdAt, id)`,
  `alter table sessions add column credentialVersion integer not null default 0`,
  // The steady clock starts at the wall clock, so `expiresAt` of existing sessions is right without a change.
  `create table clock (steady integer not null, wall integer not null, uptime integer not null, bootId text)`,
  `alter table sessions add column caId text;
  alter table sessions add column caVersion integer not null default 0;
  alter table sessions add column isCertExtendable integer not null default 0;
  alter table sessions add column improperClientCertChain integer not null default 0`,
  createCertificatesTable,
  `alter table sessions add column signerId text;
  alter table sessions add column signerVersion integer not null default 0`,
  giveCertificatesRowIds,
];

/**
 * Opens the store of API sessions in a SQLite file. Sessions have their own file, so that a touch never waits for a
 * transaction on entities. They survive a restart. Only one controller may use the file. The version is in the file
 * too, because the command line of the controller may change data at the same time.
 *
 * `expiresAt` is stored as a time of a steady clock, so that a session neither ends early nor lives longer when somebody
 * sets the clock of the machine. All other times are dates of the wall clock. The sweep saves the steady clock for the
 * next process. After a power failure or a sleep of the machine a session may live longer by one interval of the sweep.
 *
 * @param timeout milliseconds without a touch after which a session expires
 */
export async function openSqliteSessionStore({
  file,
  timeout,
  clock,
  machine = thisMachine,
}: {
  file: string;
  timeout: number;
  clock: Clock;
  machine?: Machine;
}): Promise<SessionStore> {
  const database = openFile(file, 'NORMAL');
  migrate(database);
  const statements = prepare(database);
  const steady = continueSteadyClock(statements.mark.get() ?? null, clock, machine);
  /** Milliseconds from the steady clock to the wall clock. */
  const offset = () => clock() - steady.now();
  const { insert: insertCertificate, ...certificates } = createSessionCertificates(database, steady.now);
  const createAll = database.transaction((row: SessionRow, first: readonly SessionCertificate[]) => {
    statements.create.run(row);
    for (const certificate of first) insertCertificate(row.tokenHash, certificate);
    return String(statements.version.get());
  });
  const pool = createListPool<Record<string, Record<string, unknown>>>(file);
  const sweep = () =>
    mapErrors(() => {
      statements.saveMark.run(steady.mark());
      statements.sweep.run({ now: steady.now() });
    });
  sweep();
  const timer = setInterval(() => {
    try {
      sweep();
    } catch {
      // Expired rows are never returned. The next sweep deletes them.
    }
  }, sweepInterval).unref();

  return {
    async create(record, certificates = []) {
      const date = clock();
      const session = { ...record, lastActivityAt: date, expiresAt: date + timeout };
      const row = toRow({ ...session, expiresAt: steady.now() + timeout });
      return { session, version: mapErrors(() => createAll(row, certificates)) };
    },

    touch: createBatchedTouch({ database, timeout, clock, steady }),

    async update(tokenHash, { isMfaRequired, isMfaComplete, mfaId }) {
      const flag = (value: boolean | undefined) => (value === undefined ? null : Number(value));
      const flags = { isMfaRequired: flag(isMfaRequired), isMfaComplete: flag(isMfaComplete) };
      const change = { ...flags, mfaId: mfaId ?? null, updatedAt: clock() };
      return mapErrors(() => statements.update.run({ tokenHash, now: steady.now(), ...change })).changes === 1;
    },

    async find(id) {
      const row = mapErrors(() => statements.find.get({ id, now: steady.now() }));
      return row ? fromRow(row, offset()) : null;
    },

    remove: async ({ id }) => mapErrors(() => statements.remove.run({ id, now: steady.now() })).changes === 1,

    async removeByIdentity(identityId, hasEnded = () => true) {
      const now = steady.now();
      const removeEnded = database.transaction(() => {
        const sessions = statements.ofIdentity.all({ identityId, now }).map((row) => fromRow(row, offset()));
        return sessions.filter(
          (session) => hasEnded(session) && statements.remove.run({ id: session.id, now }).changes > 0,
        );
      });
      return mapErrors(removeEnded).length;
    },

    async list(query) {
      const page = await listRows<SessionRow>({
        db: pool.lists,
        table: 'sessions',
        fields: sessionFields,
        query,
        dialect: sqliteDialect,
        date: (milliseconds) => milliseconds,
        longColumns: [],
        conditions: [isLive(steady.now())],
      });
      return mapPage(page, async (rows) => rows.map((row) => fromRow(row, offset())));
    },

    certificates,

    async identitiesWithSessions(identityIds) {
      const now = steady.now();
      return new Set(
        identityIds.filter((identityId) => mapErrors(() => statements.hasSession.get({ identityId, now }))),
      );
    },

    async bumpVersion() {
      mapErrors(() => statements.bumpVersion.run());
    },

    async close() {
      clearInterval(timer);
      await pool.close();
      database.close();
    },
  };
}

/**
 * Only few rows have expired and are not yet deleted. So the list looks for those with one index and then needs no other
 * column: it can count with any index, and it reads the sessions of the page only.
 */
function isLive(now: number) {
  return sql<boolean>`tokenHash not in (select tokenHash from sessions where expiresAt <= ${now})`;
}

function migrate(database: Database.Database): void {
  const done = database.pragma('user_version', { simple: true }) as number;
  database.transaction(() => {
    for (const migration of migrations.slice(done)) database.exec(migration);
    database.pragma(`user_version = ${migrations.length}`);
  })();
}

function prepare(database: Database.Database) {
  const live = 'expiresAt > @now';
  return {
    create: database.prepare(
      `insert into sessions values (@tokenHash, @id, @sealedToken, @identityId, @authenticatorId, @ipAddress,
        @configTypes, @createdAt, @updatedAt, @isMfaRequired, @isMfaComplete, @lastActivityAt, @expiresAt, @method,
        @mfaId, @credentialVersion, @caId, @caVersion, @isCertExtendable, @improperClientCertChain, @signerId,
        @signerVersion)`,
    ),
    update: database.prepare(
      `update sessions set ${changeable.map((column) => `${column} = coalesce(@${column}, ${column})`).join(', ')}
        where tokenHash = @tokenHash and ${live}`,
    ),
    find: database.prepare<unknown[], SessionRow>(`select * from sessions where id = @id and ${live}`),
    remove: database.prepare(`delete from sessions where id = @id and ${live}`),
    ofIdentity: database.prepare<unknown[], SessionRow>(
      `select * from sessions where identityId = @identityId and ${live}`,
    ),
    hasSession: database.prepare(`select 1 from sessions where identityId = @identityId and ${live} limit 1`),
    version: database.prepare('select value from version').pluck(),
    bumpVersion: database.prepare('update version set value = value + 1'),
    sweep: database.prepare('delete from sessions where expiresAt <= @now'),
    mark: database.prepare<unknown[], Mark>('select * from clock'),
    saveMark: database.prepare(
      'insert or replace into clock (rowid, steady, wall, uptime, bootId) values (1, @steady, @wall, @uptime, @bootId)',
    ),
  };
}
