import type Database from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { RecentlyUsed } from '../../../core/cache/recently-used.ts';
import { mapPage } from '../../../core/filter/map-page.ts';
import { sqliteDialect } from '../../database/sql/dialect.ts';
import { listRows } from '../../database/sql/list-rows.ts';
import { mapErrors } from '../../database/sqlite/errors.ts';
import type {
  ServiceSession,
  ServiceSessionPlace,
  ServiceSessionStore,
  StoredServiceSession,
} from '../service-sessions.ts';
import { serviceSessionFields } from '../service-sessions.ts';
import type { SessionKey } from '../session-key.ts';
import { isOfLiveSession } from './session-row.ts';

/** The foreign key removes sessions together with their API session, whatever removes it. A migration of the file of the sessions. */
export const createServiceSessionsTable = `create table serviceSessions (
    id text not null primary key, tokenHash text not null references sessions (tokenHash) on delete cascade,
    apiSessionId text not null, identityId text not null, serviceId text not null, type text not null, tags text not null,
    createdAt integer not null, unique (tokenHash, type, serviceId)
  );
  create index serviceSessions_identityId on serviceSessions (identityId)`;

interface Row extends Omit<ServiceSession, 'tags'> {
  readonly tokenHash: string;
  readonly apiSessionId: string;
  readonly identityId: string;
  /** JSON. */
  readonly tags: string;
}

/** Rows that are read in one step. */
const batchSize = 500;
/** API sessions. */
const maxCounts = 10_000;

interface ServiceSessionsOptions {
  readonly database: Database.Database;
  /** For lists. */
  readonly lists: Kysely<Record<string, Record<string, unknown>>>;
  /** The clock of `expiresAt`. */
  readonly now: () => number;
}

/** Stores the sessions of services in the file of the sessions. */
export function createServiceSessions({ database, lists, now }: ServiceSessionsOptions): ServiceSessionStore {
  const statements = prepare(database);
  const { present, add } = opener({ database, statements, now });
  return {
    open: async (session, limit) => mapErrors(() => add(session, limit)),

    async present(place) {
      const row = mapErrors(() => present(place));
      return row ? sessionOf(row) : null;
    },

    async find(id) {
      const row = mapErrors(() => statements.find.get({ id, now: now() }));
      return row ? storedOf(row) : null;
    },

    ofApiSession: async ({ tokenHash }) =>
      mapErrors(() => statements.ofApiSession.all({ tokenHash, now: now() })).map(storedOf),

    async *batches(identityId) {
      for (let last = '', isOver = false; !isOver; ) {
        const page = { last, limit: batchSize, now: now() };
        const rows = mapErrors(() =>
          identityId === undefined ? statements.all.all(page) : statements.ofIdentity.all({ ...page, identityId }),
        );
        last = rows.at(-1)?.id ?? '';
        isOver = rows.length < batchSize;
        if (rows.length > 0) yield rows.map(storedOf);
      }
    },

    remove: async ({ id }) => mapErrors(() => statements.remove.run({ id, now: now() })).changes === 1,

    async list(query, identityId) {
      const page = await listRows<Row>({
        ...{ db: lists, table: 'serviceSessions', fields: serviceSessionFields, query, dialect: sqliteDialect },
        date: (milliseconds) => milliseconds,
        longColumns: [],
        conditions: [
          isOfLiveSession(now()),
          ...(identityId === undefined ? [] : [sql<boolean>`${sql.ref('t.identityId')} = ${identityId}`]),
        ],
      });
      return mapPage(page, async (rows) => rows.map(storedOf));
    },
  };
}

/** Returns what opens a session of a service, and what finds the one that is there. */
function opener({
  database,
  statements,
  now,
}: Pick<ServiceSessionsOptions, 'database' | 'now'> & { readonly statements: Statements }) {
  /** How many sessions API sessions have at most. To count thousands takes longer than to open one. */
  const counts = new RecentlyUsed<number>(maxCounts);
  const isLive = ({ tokenHash }: SessionKey) => statements.isLive.get({ tokenHash, now: now() }) !== undefined;
  const present = ({ apiSession, type, serviceId }: ServiceSessionPlace) =>
    isLive(apiSession) ? statements.present.get({ tokenHash: apiSession.tokenHash, type, serviceId }) : undefined;
  const add = database.transaction((session: StoredServiceSession, limit: number) => {
    const { apiSession, ...opened } = session;
    const { tokenHash } = apiSession;
    if (!isLive(apiSession)) return 'no session';
    const other = present(session);
    if (other) return sessionOf(other);
    const known = counts.get(tokenHash) ?? limit;
    const count = known < limit ? known : (statements.count.get({ tokenHash }) ?? 0);
    if (count >= limit) return 'full';
    statements.insert.run(rowOf(session));
    counts.set(tokenHash, count + 1);
    return opened;
  });
  return { present, add: (session: StoredServiceSession, limit: number) => add.immediate(session, limit) };
}

type Statements = ReturnType<typeof prepare>;

function prepare(database: Database.Database) {
  const ofLive = `exists (select 1 from sessions where tokenHash = serviceSessions.tokenHash and expiresAt > @now)`;
  const page = `id > @last and ${ofLive} order by id limit @limit`;
  return {
    isLive: database.prepare('select 1 from sessions where tokenHash = @tokenHash and expiresAt > @now').pluck(),
    present: database.prepare<unknown[], Row>(
      'select * from serviceSessions where tokenHash = @tokenHash and type = @type and serviceId = @serviceId',
    ),
    count: database
      .prepare<unknown[], number>('select count(*) from serviceSessions where tokenHash = @tokenHash')
      .pluck(),
    insert: database.prepare(
      `insert into serviceSessions (id, tokenHash, apiSessionId, identityId, serviceId, type, tags, createdAt)
        values (@id, @tokenHash, @apiSessionId, @identityId, @serviceId, @type, @tags, @createdAt)`,
    ),
    find: database.prepare<unknown[], Row>(`select * from serviceSessions where id = @id and ${ofLive}`),
    ofApiSession: database.prepare<unknown[], Row>(
      `select * from serviceSessions where tokenHash = @tokenHash and ${ofLive}`,
    ),
    all: database.prepare<unknown[], Row>(`select * from serviceSessions where ${page}`),
    ofIdentity: database.prepare<unknown[], Row>(
      `select * from serviceSessions where identityId = @identityId and ${page}`,
    ),
    remove: database.prepare(`delete from serviceSessions where id = @id and ${ofLive}`),
  };
}

function rowOf({ apiSession, tags, ...session }: StoredServiceSession): Row {
  const { id: apiSessionId, tokenHash, identityId } = apiSession;
  return { ...session, tags: JSON.stringify(tags), tokenHash, apiSessionId, identityId };
}

function storedOf(row: Row): StoredServiceSession {
  const { tokenHash, apiSessionId, identityId } = row;
  return { ...sessionOf(row), apiSession: { id: apiSessionId, tokenHash, identityId } };
}

function sessionOf({ id, type, serviceId, tags, createdAt }: Row): ServiceSession {
  return { id, type, serviceId, tags: JSON.parse(tags), createdAt };
}
