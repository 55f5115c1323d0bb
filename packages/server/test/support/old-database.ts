import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely';
import pg from 'pg';
import type { ControllerOptions } from '../../src/index.ts';
import { migrate } from '../../src/storage/entity-store/migrations/migrate.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** An entity database as an earlier version left it, beside any controller. */
export interface OldDatabase extends AsyncDisposable {
  /** Inserts rows of one table. All have the same columns. */
  insert(table: string, ...rows: readonly Row[]): Promise<void>;
  query(statement: string): Promise<readonly Row[]>;
}

/** Opens the entity database of these options. With `last`, makes the schema that this migration completed. */
export async function openOldDatabase(
  { databaseUrl, dataDir = '' }: ControllerOptions,
  last?: string,
): Promise<OldDatabase> {
  const db = new Kysely<never>({
    dialect: databaseUrl
      ? new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: 1 }) })
      : new SqliteDialect({ database: new Database(join(dataDir, 'entities.db')) }),
  });
  if (last !== undefined) {
    await migrate(db, { dialect: databaseUrl ? 'postgres' : 'sqlite', clock: () => Date.now(), last });
  }
  return {
    async insert(table, ...rows) {
      const columns = Object.keys(rows[0] ?? {});
      const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
      const into = sql`${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})`;
      await sql`insert into ${into} values ${sql.join(values)}`.execute(db);
    },
    query: async (statement) => (await sql<Row>`${sql.raw(statement)}`.execute(db)).rows,
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

const made = '2024-02-03T04:05:06.789Z';
const base = { createdAt: made, updatedAt: made, tags: '{}' };

/** A row of `identities` of version 2. */
export function oldIdentity(id: string, members: Row = {}): Row {
  return {
    ...{ ...base, id, name: `name of ${id}`, typeId: 'Default', isAdmin: 0, isDefaultAdmin: 0, externalId: null },
    ...{ authPolicyId: 'default', roleAttributes: '[]', defaultHostingCost: 0, defaultHostingPrecedence: 'default' },
    ...{ serviceHostingCosts: '{}', serviceHostingPrecedences: '{}', appData: '{}', envInfo: '{}', sdkInfo: '{}' },
    ...{ disabledAt: null, disabledUntil: null },
    ...members,
  };
}

/** A row of `authenticators` of version 2. The user name is the id of the identity. */
export function oldAuthenticator(identityId: string, members: Row): Row {
  return {
    ...{ ...base, id: `of ${identityId}`, identityId, method: 'updb', username: identityId },
    ...{ failedAttempts: 0, pendingAttempts: 0, pendingSince: null },
    ...members,
  };
}

/** A row of `mfas` of version 2. */
export function oldMfa(identityId: string, members: Row): Row {
  return {
    ...{ ...base, id: `mfa-${identityId}`, identityId, lastStep: null, attempts: 0, attemptedAt: null },
    ...{ sessionId: 'a session of long ago' },
    ...members,
  };
}

/** A row of `enrollments` of version 2. */
export function oldEnrollment(identityId: string, members: Row): Row {
  return { ...{ ...base, id: `enroll-${identityId}`, identityId, method: 'updb', caId: null }, ...members };
}

/** A row of `authPolicies` of version 2 in which every rule differs from its default. */
export const oldPolicy: Row = {
  ...{ ...base, id: 'strict', name: 'Strict', isSystem: 0, certAllowed: 0, certAllowExpiredCerts: 0 },
  ...{ extJwtAllowed: 1, extJwtAllowedSigners: '["signer a","signer b"]', updbAllowed: 0, updbMinPasswordLength: 17 },
  ...{ updbRequireSpecialChar: 1, updbRequireNumberChar: 1, updbRequireMixedCase: 1, updbMaxAttempts: 7 },
  ...{ updbLockoutDurationMinutes: 11, requireTotp: 1, requireExtJwtSigner: 'signer a' },
};
