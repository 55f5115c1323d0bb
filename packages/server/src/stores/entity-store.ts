import type { Generated, Kysely, Transaction } from 'kysely';
import type { FilterFields, Page, Query } from './page.ts';

/**
 * The tables, the same on SQLite and PostgreSQL. Columns have the names of the API fields. Dates are text (RFC 3339,
 * milliseconds, `Z`), booleans are 0 or 1, JSON is text.
 */
export interface Tables {
  authPolicies: BaseRow & {
    name: string;
    isSystem: number;
    certAllowed: number;
    certAllowExpiredCerts: number;
    extJwtAllowed: number;
    extJwtAllowedSigners: string;
    updbAllowed: number;
    updbMinPasswordLength: number;
    updbRequireSpecialChar: number;
    updbRequireNumberChar: number;
    updbRequireMixedCase: number;
    updbMaxAttempts: number;
    updbLockoutDurationMinutes: number;
    requireTotp: number;
    requireExtJwtSigner: string | null;
  };
  cas: BaseRow & { name: string };
  identities: BaseRow & {
    name: string;
    typeId: string;
    isAdmin: number;
    isDefaultAdmin: number;
    externalId: string | null;
    authPolicyId: string;
    roleAttributes: string;
    defaultHostingCost: number;
    defaultHostingPrecedence: string;
    serviceHostingCosts: string;
    serviceHostingPrecedences: string;
    appData: string;
    envInfo: string;
    sdkInfo: string;
    disabledAt: string | null;
    disabledUntil: string | null;
  };
  authenticators: BaseRow & {
    identityId: string;
    method: 'updb' | 'cert';
    username: string | null;
    passwordHash: string | null;
    /** Wrong passwords since the last right one, and attempts whose password is being verified. */
    failedAttempts: number;
    pendingAttempts: number;
    /** Start of the last pending attempt. */
    pendingSince: string | null;
  };
  /** The TOTP of an identity. An identity has at most one. */
  mfas: BaseRow & {
    identityId: string;
    isVerified: number;
    /** The TOTP secret, sealed. */
    sealedSecret: string;
    /** JSON array of the unused recovery codes, sealed. */
    sealedRecoveryCodes: string;
    /** The time step of the last accepted code. */
    lastStep: number | null;
    /** Attempts since the last right code, and the time of the last attempt. */
    attempts: number;
    attemptedAt: string | null;
    /** The API session that started the enrollment. */
    sessionId: string;
  };
  enrollments: BaseRow & {
    identityId: string;
    method: 'ott' | 'ottca' | 'updb';
    tokenHash: string;
    /** JSON `{token, jwt}`, sealed. */
    sealed: string;
    username: string | null;
    caId: string | null;
    expiresAt: string;
  };
  /** Data about the database itself. */
  meta: { key: string; value: string };
  outbox: { id: Generated<number>; effect: string; createdAt: string };
}

/** Columns that every entity has. `tags` is a JSON object as text. */
export interface BaseRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  tags: string;
}

export type EntityTable = Exclude<keyof Tables, 'meta' | 'outbox'>;

/** The entity database. Every method throws `ApiError('STORE_UNAVAILABLE')` when the database cannot be used. */
export interface EntityStore {
  readonly dialect: 'sqlite' | 'postgres';
  readonly db: Kysely<Tables>;
  /** Runs all statements of `work` or none. When it returns, the change survives a power failure. */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Returns one page of a table. `where`: exact column values that the rows must have, in addition to the filter. */
  list<T extends EntityTable>(request: {
    table: T;
    fields: FilterFields;
    query: Query;
    where?: Partial<Record<string, string>>;
  }): Promise<Page<Tables[T]>>;
  /** The unique column that the failed write violated, or `null` for every other error. */
  violatedUnique(error: unknown): string | null;
  close(): Promise<void>;
}
