import type { Generated, Kysely, Transaction } from 'kysely';
import type { FilterFields, Page, Query } from './page.ts';

/**
 * The tables. Columns are named as the fields on the wire. Dates are text (RFC 3339, milliseconds, `Z`), booleans 0 or 1,
 * JSON is text: the same on SQLite and PostgreSQL.
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
    /** Wrong passwords since the last right one, and attempts whose hash is still being computed. */
    failedAttempts: number;
    pendingAttempts: number;
    /** When the last of the pending attempts began. */
    pendingSince: string | null;
  };
  /** TOTP of an identity, at most one. */
  mfas: BaseRow & {
    identityId: string;
    isVerified: number;
    /** The TOTP secret, sealed. */
    sealedSecret: string;
    /** JSON array of the unused recovery codes, sealed. */
    sealedRecoveryCodes: string;
    /** The last time step whose code was accepted. */
    lastStep: number | null;
    /** Attempts since the last right code, and when the last of them was made. */
    attempts: number;
    attemptedAt: string | null;
    /** The API session that began the enrollment. */
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
  /** Facts about the database itself. */
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

/** The entity database: one schema on SQLite and on PostgreSQL. Unreachable: `ApiError('STORE_UNAVAILABLE')`. */
export interface EntityStore {
  readonly dialect: 'sqlite' | 'postgres';
  readonly db: Kysely<Tables>;
  /** Runs every statement of `work` or none; returns when the change survives a power cut. */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** One page of a table. `where` narrows by exact column values before the filter. */
  list<T extends EntityTable>(request: {
    table: T;
    fields: FilterFields;
    query: Query;
    where?: Partial<Record<string, string>>;
  }): Promise<Page<Tables[T]>>;
  /** The unique column that a failed write ran into, or `null` when `error` is something else. */
  violatedUnique(error: unknown): string | null;
  close(): Promise<void>;
}
