import type { Generated, Kysely, RawBuilder, Transaction } from 'kysely';
import type { FilterFields, Page, Query } from '../../core/filter/page.ts';
import type { SqlDialect } from '../database/sql/dialect.ts';
import type { BaseRow, EntityTables, SetRow } from './tables.ts';

/**
 * The tables, the same on SQLite and PostgreSQL. Columns have the names of the fields. Dates are text (RFC 3339,
 * milliseconds, `Z`), booleans are 0 or 1, JSON is text.
 */
export interface Tables extends EntityTables {
  passwords: {
    authenticatorId: string;
    hash: string;
    /** Wrong passwords since the last right one. */
    failedAttempts: number;
    /** Whether somebody else than its owner has set it. */
    isSetByOther: Generated<number>;
  };
  /** Rows that are written where no wrong password is counted, so that both take the same time. */
  passwordDummies: { id: number; attempts: number };
  /** Wrong passwords of a user name, which need not exist, and the addresses from which an account has signed in. */
  passwordDelays: {
    /** A keyed hash of the user name. */
    account: string;
    /** A keyed hash of an address from which the account has signed in; empty for all others. */
    address: string;
    /** Wrong passwords since the last right one. */
    failures: number;
    /** When the next attempt may be made, in milliseconds since 1970. */
    nextAt: number;
    /** Until when the address is known. 0: it never was. */
    knownUntil: number;
  };
  /** The TOTP of an identity. An identity has at most one. */
  mfas: BaseRow & {
    identityId: string;
    isVerified: number;
    /** The TOTP secret, sealed. */
    sealedSecret: string;
    /** JSON array of the unused recovery codes, sealed. */
    sealedRecoveryCodes: string;
    /** JSON array of the time steps whose codes were accepted; see `credentials/mfas/used-steps.ts`. */
    usedSteps: string;
    /** Attempts since the last right code, and the time of the last attempt. */
    attempts: number;
    attemptedAt: string | null;
    /** The API session that started the enrollment. */
    sessionId: string;
  };
  enrollmentTokens: {
    enrollmentId: string;
    tokenHash: string;
    /** JSON `{token, jwt}`, sealed. */
    sealed: string;
  };
  /** What an identity can sign in with. An API session carries the version that its credential had at the sign-in. */
  credentials: {
    identityId: string;
    authenticatorId: string;
    /** Raised when the API sessions of the credential end. */
    version: number;
    /** Id of the one API session that did not end at the last raise. */
    keptSessionId: string | null;
  };
  /** Single sessions that ended before they expired: the hash of the token of an API session, or the id of a session of a service. */
  endedSessions: { tokenHash: string; expiresAt: string };
  /** Until which generation the posture data of API sessions does not count any more. */
  postureLosses: { tokenHash: string; generation: number; expiresAt: string };
  /** Who hosts at a terminator. */
  terminatorHosts: {
    terminatorId: string;
    /** Id of the session of the service. */
    sessionId: string;
    /** Id of the identity. */
    hostId: string;
    /** JSON: pairs of a header number and a value in base64. */
    peerData: string;
  };
  /** The secrets of instance ids at terminators that no identity hosts. */
  terminatorSecrets: { terminatorId: string; secretHash: string };
  /** The configs that identities have for services. */
  identities_serviceConfigs: { ownerId: string; serviceId: string; configId: string };
  /** Data about the database itself. */
  meta: { key: string; value: string };
  /** Those whose services change together: an identity (its id), or the identities that a set of roles selects. */
  subjects: {
    id: string;
    /** Milliseconds since 1970. 0: never. */
    lastChangeAt: number;
    /** Of an identity: changes of its other subjects up to this time do not count for it. Null: all count. */
    since: number | null;
  };
  subjects_roles: SetRow & { need: number };
  /** The subject of the identity roles of a service policy. */
  policySubjects: { policyId: string; subjectId: string };
  /** Changes of services that nobody has asked for yet. */
  subjectChanges: { id: Generated<number>; subjectId: string; changedAt: number };
  outbox: { id: Generated<number>; effect: string; createdAt: string };
  /** Who did what. Rows are only added; the oldest are removed together. */
  auditLog: {
    /** 1, 2, 3 … without gaps. */
    sequence: number;
    createdAt: string;
    event: string;
    outcome: 'success' | 'failure';
    identityId: string | null;
    entityType: string | null;
    entityId: string | null;
    /** A JSON object. */
    details: string;
    ipAddress: string | null;
    requestId: string | null;
    /** SHA-256 over the hash before and this row, in hex. */
    hash: string;
  };
  /** The last entry of the audit log, in one row. Who adds an entry locks it. */
  auditHead: { id: number; sequence: number; hash: string };
  /** What controllers have signed about the audit log. */
  auditCheckpoints: {
    kind: 'checkpoint' | 'anchor';
    sequence: number;
    hash: string;
    createdAt: string;
    jws: string;
  };
}

/** The entity database. Every method throws `ApiError('STORE_UNAVAILABLE')` when the database cannot be used. */
export interface EntityStore {
  readonly dialect: 'sqlite' | 'postgres';
  /** The SQL that differs between the databases. */
  readonly sql: SqlDialect;
  /**
   * Single statements. A statement that reads sees only committed changes. A statement that writes is a transaction of its
   * own, so do not write with `db` inside `transaction`: use its `tx`.
   */
  readonly db: Kysely<Tables>;
  /**
   * Statements that may read many rows, such as lists. They only read. A statement that takes longer than 2 seconds is
   * stopped, and others do not wait for it.
   *
   * @throws ApiError `TIMEOUT` when a statement takes longer than 2 seconds
   */
  readonly lists: Kysely<Tables>;
  /**
   * Runs all statements of `work` or none. When it returns, the change survives a power failure. A change that takes longer
   * than 10 seconds is rolled back. `work` sees changes that are committed later, together with its own, so it must have
   * no effect outside of the database.
   */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Returns one page of the rows of a table. */
  list(request: {
    readonly table: string;
    readonly fields: FilterFields;
    readonly query: Query;
    /** Conditions in addition to the filter. They name the row `t`. */
    readonly conditions?: readonly RawBuilder<boolean>[];
    /** Text columns that can be long. Their bytes bound a batch. */
    readonly longColumns: readonly string[];
  }): Promise<Page<Record<string, unknown>>>;
  /** The unique column that the failed write violated, or `null` for every other error. */
  violatedUnique(error: unknown): string | null;
  close(): Promise<void>;
}
