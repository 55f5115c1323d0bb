import type Database from 'better-sqlite3';
import { mapPage } from '../../../core/filter/map-page.ts';
import type { Page, Query } from '../../../core/filter/page.ts';
import type { Clock, Machine, SteadyClock } from '../../../core/time/clock.ts';
import { continueSteadyClock, thisMachine } from '../../../core/time/clock.ts';
import { sqliteDialect } from '../../database/sql/dialect.ts';
import { listRows } from '../../database/sql/list-rows.ts';
import { mapErrors } from '../../database/sqlite/errors.ts';
import { ListPool } from '../../database/sqlite/list-pool.ts';
import { openFile } from '../../database/sqlite/open-file.ts';
import type { ServiceSessionStore } from '../service-sessions.ts';
import { expiryOf } from '../session-end.ts';
import { sessionFields } from '../session-fields.ts';
import type { SessionKey } from '../session-key.ts';
import type {
  ApiSessionRecord,
  FirstData,
  LiveApiSession,
  OnApiSessionChange,
  OnExpired,
  SessionOwner,
  SessionStore,
  Touched,
  Versioned,
} from '../session-store.ts';
import { BatchedCreate } from './batched-create.ts';
import { BatchedTouch } from './batched-touch.ts';
import { migrate } from './migrate.ts';
import { createServiceSessions } from './service-sessions.ts';
import type { SqliteSessionCertificates } from './session-certificates.ts';
import { createSessionCertificates } from './session-certificates.ts';
import type { SqliteSessionData } from './session-data.ts';
import { createSessionData } from './session-data.ts';
import type { SessionRow } from './session-row.ts';
import { fromRow, isOfIdentity, isOfLiveSession, toRow } from './session-row.ts';
import type { SessionStatements } from './session-statements.ts';
import { prepareSessionStatements } from './session-statements.ts';

const sweepInterval = 5_000;
/** Sessions that a sweep deletes at once. */
const sweepSize = 500;

interface Options {
  readonly file: string;
  readonly timeout: number;
  readonly clock: Clock;
  readonly machine?: Machine;
  readonly onChange?: OnApiSessionChange;
  readonly onExpired?: OnExpired;
}

/**
 * Opens the store of API sessions in a SQLite file. Sessions have their own file, so that a touch never waits for a
 * transaction on entities. They survive a restart. Only one controller may use the file. The version is in the file
 * too, because the command line of the controller may change data at the same time. So a transaction that reads before it writes
 * takes the right to write at once (`immediate`): SQLite refuses one that has read what another process has changed since.
 *
 * `expiresAt` is a time of a steady clock: a new setting of the machine's clock does not move the end of a session. All
 * other times are dates of the wall clock. The sweep saves the steady clock for the next process. After a power failure or a
 * sleep of the machine a session may live longer by one interval of the sweep.
 *
 * @param timeout milliseconds without a touch after which a session expires
 * @param onChange is called after each change of an API session
 * @param onExpired is called for sessions that have expired
 */
export async function openSqliteSessionStore(options: Options): Promise<SessionStore> {
  const database = openFile(options.file);
  migrate(database);
  return new SqliteSessionStore(database, options);
}

class SqliteSessionStore implements SessionStore {
  readonly touch: SessionStore['touch'];
  readonly certificates: SqliteSessionCertificates;
  readonly serviceSessions: ServiceSessionStore;
  readonly data: SqliteSessionData;
  readonly #database: Database.Database;
  readonly #statements: SessionStatements;
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #onChange: OnApiSessionChange;
  readonly #onExpired: OnExpired;
  readonly #steady: SteadyClock;
  readonly #pool: ListPool<Record<string, Record<string, unknown>>>;
  readonly #creates: BatchedCreate;
  readonly #timer: NodeJS.Timeout;
  #isSweeping = false;

  constructor(database: Database.Database, options: Options) {
    const { file, timeout, clock, machine = thisMachine } = options;
    const { onChange = async () => undefined, onExpired = async () => undefined } = options;
    this.#database = database;
    this.#timeout = timeout;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#onExpired = onExpired;
    this.#statements = prepareSessionStatements(database);
    this.#steady = continueSteadyClock(this.#statements.mark.get() ?? null, clock, machine);
    this.touch = new BatchedTouch({ database, timeout, clock, steady: this.#steady }).touch;
    this.certificates = createSessionCertificates({
      ...{ database, now: this.#steady.now },
      onChange: (tokenHash) => onChange({ kind: 'changed', tokenHash }),
    });
    this.#pool = new ListPool(file);
    this.serviceSessions = createServiceSessions({ database, lists: this.#pool.lists, now: this.#steady.now });
    this.data = createSessionData(database, this.#steady.now);
    const { certificates, data } = this;
    this.#creates = new BatchedCreate({ database, statements: this.#statements, certificates, data });
    mapErrors(() => this.#saveMark());
    const sweep = () => void this.#trySweep();
    this.#timer = setInterval(sweep, sweepInterval).unref();
    sweep();
  }

  async create(record: ApiSessionRecord, first: FirstData = {}): Promise<Versioned<LiveApiSession>> {
    const date = this.#clock();
    const expiresAt = expiryOf(record, date + this.#timeout);
    const session = { ...record, lastActivityAt: date, expiresAt };
    const row = toRow({ ...session, expiresAt: this.#steady.now() + expiresAt - date });
    const version = await this.#creates.create(row, first);
    await this.#onChange({ kind: 'changed', tokenHash: record.tokenHash });
    return { session, version };
  }

  async peek(tokenHash: string): Promise<Touched> {
    return mapErrors(() => {
      const row = this.#statements.peek.get({ tokenHash, now: this.#steady.now() });
      const session = row ? this.#fromRow(row) : null;
      return { session: session && { ...session, record: session }, version: String(this.#statements.version.get()) };
    });
  }

  async update(
    tokenHash: string,
    { isMfaRequired, isMfaComplete, usesRouters, ...other }: Parameters<SessionStore['update']>[1],
  ): Promise<boolean> {
    const flag = (value: boolean | null = null) => (value === null ? null : Number(value));
    const flags = {
      isMfaRequired: flag(isMfaRequired),
      isMfaComplete: flag(isMfaComplete),
      usesRouters: flag(usesRouters),
    };
    const { mfaId = null, mfaPassedAt = null, tokenReadBy = null } = other;
    const change = { ...flags, mfaId, mfaPassedAt, tokenReadBy, updatedAt: this.#clock() };
    const now = this.#steady.now();
    const isChanged = mapErrors(() => this.#statements.update.run({ tokenHash, now, ...change })).changes === 1;
    if (isChanged) await this.#onChange({ kind: 'changed', tokenHash });
    return isChanged;
  }

  async find(id: string): Promise<LiveApiSession | null> {
    const row = mapErrors(() => this.#statements.find.get({ id, now: this.#steady.now() }));
    return row ? this.#fromRow(row) : null;
  }

  async load(tokenHashes: readonly string[]): Promise<readonly LiveApiSession[]> {
    const now = this.#steady.now();
    return mapErrors(() =>
      tokenHashes.flatMap((tokenHash) => {
        const row = this.#statements.peek.get({ tokenHash, now });
        return row ? [this.#fromRow(row)] : [];
      }),
    );
  }

  async remove({ id }: Pick<SessionKey, 'id'>): Promise<boolean> {
    const { changes } = mapErrors(() => this.#statements.remove.run({ id, now: this.#steady.now() }));
    if (changes === 1) await this.#onChange({ kind: 'ended', ids: [id] });
    return changes === 1;
  }

  async removeByIdentity(
    identityId: string,
    hasEnded: (session: LiveApiSession) => boolean = () => true,
  ): Promise<number> {
    const now = this.#steady.now();
    const { ofIdentity, remove } = this.#statements;
    const removeEnded = this.#database.transaction(() => {
      const sessions = ofIdentity.all({ identityId, now }).map((row) => this.#fromRow(row));
      return sessions.filter((session) => hasEnded(session) && remove.run({ id: session.id, now }).changes > 0);
    });
    const ids = mapErrors(removeEnded.immediate).map(({ id }) => id);
    if (ids.length > 0) await this.#onChange({ kind: 'ended', ids });
    return ids.length;
  }

  async list(query: Query, within?: SessionOwner): Promise<Page<LiveApiSession>> {
    const isLive = isOfLiveSession(this.#steady.now());
    const page = await listRows<SessionRow>({
      db: this.#pool.lists,
      table: 'sessions',
      fields: sessionFields,
      query,
      dialect: sqliteDialect,
      date: (milliseconds) => milliseconds,
      longColumns: [],
      conditions: within ? [isLive, isOfIdentity(within.identityId)] : [isLive],
    });
    return mapPage(page, async (rows) => rows.map((row) => this.#fromRow(row)));
  }

  async identitiesWithSessions(identityIds: readonly string[]): Promise<ReadonlySet<string>> {
    const now = this.#steady.now();
    const hasSession = (identityId: string) => mapErrors(() => this.#statements.hasSession.get({ identityId, now }));
    return new Set(identityIds.filter(hasSession));
  }

  async bumpVersion(): Promise<void> {
    mapErrors(() => this.#statements.bumpVersion.run());
  }

  async rightsVersion(): Promise<string> {
    return mapErrors(() => String(this.#statements.rightsVersion.get()));
  }

  async bumpRightsVersion(): Promise<void> {
    mapErrors(() => this.#statements.bumpRightsVersion.run());
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pool.close();
    this.#database.close();
  }

  #fromRow(row: SessionRow): LiveApiSession {
    return fromRow(row, this.#clock() - this.#steady.now());
  }

  #saveMark(): void {
    this.#statements.saveMark.run(this.#steady.mark());
  }

  async #trySweep(): Promise<void> {
    try {
      this.#saveMark();
      await this.#sweep();
    } catch {
      // Expired rows are never returned. The next sweep deletes them.
    }
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      while (await this.#sweepBatch());
    } finally {
      this.#isSweeping = false;
    }
  }

  /** Deletes sessions that have expired, after their end is recorded. Returns whether there may be more. */
  async #sweepBatch(): Promise<boolean> {
    const now = this.#steady.now();
    const expired = this.#statements.expired.all({ now, limit: sweepSize });
    if (expired.length === 0) return false;
    // What is missed here, a controller finds when it asks for the session.
    void this.#onChange({ kind: 'ended', ids: expired.map(({ id }) => id) }).catch(() => undefined);
    await this.#onExpired(expired);
    const removeAll = this.#database.transaction(() => {
      for (const { id } of expired) this.#statements.removeExpired.run({ id, now });
    });
    removeAll.immediate();
    return expired.length === sweepSize;
  }
}
