import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Migrator } from 'kysely/migration';
import type { Clock } from '../lib/clock.ts';
import { isoTime } from '../lib/clock.ts';

interface Columns {
  readonly text: RawBuilder<string>;
  readonly serial: RawBuilder<number>;
}

const columnTypes: Readonly<Record<'sqlite' | 'postgres', Columns>> = {
  sqlite: { text: sql`text`, serial: sql`integer primary key autoincrement` },
  postgres: { text: sql`text collate "C"`, serial: sql`bigint generated always as identity primary key` },
};

/** Brings the schema up to date. Holds a lock meanwhile. Throws the error of a failed migration. */
export async function migrate(db: Kysely<never>, dialect: 'sqlite' | 'postgres', clock: Clock): Promise<void> {
  const migrations = migrationList(columnTypes[dialect], clock);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** All changes of the schema in the order of their names, the same for both databases. Append only. */
function migrationList({ text, serial }: Columns, clock: Clock): Record<string, Migration> {
  return {
    '0001-identities': {
      async up(db: Kysely<unknown>) {
        const entity = (table: string) =>
          db.schema
            .createTable(table)
            .addColumn('id', text, (column) => column.primaryKey())
            .addColumn('createdAt', text, (column) => column.notNull())
            .addColumn('updatedAt', text, (column) => column.notNull())
            .addColumn('tags', text, (column) => column.notNull());
        const unique = (table: string, ...columns: string[]) =>
          db.schema
            .createIndex(`${table}_${columns.join('_')}_unique`)
            .unique()
            .on(table)
            .columns(columns)
            .execute();
        const index = (table: string, column: string) =>
          db.schema.createIndex(`${table}_${column}_index`).on(table).column(column).execute();

        await entity('authPolicies')
          .addColumn('name', text, (column) => column.notNull())
          .addColumn('isSystem', 'integer', (column) => column.notNull())
          .execute();
        await db.schema
          .createTable('meta')
          .addColumn('key', text, (column) => column.primaryKey())
          .addColumn('value', text, (column) => column.notNull())
          .execute();
        await entity('cas')
          .addColumn('name', text, (column) => column.notNull())
          .execute();
        await entity('identities')
          .addColumn('name', text, (column) => column.notNull())
          .addColumn('typeId', text, (column) => column.notNull())
          .addColumn('isAdmin', 'integer', (column) => column.notNull())
          .addColumn('isDefaultAdmin', 'integer', (column) => column.notNull())
          .addColumn('externalId', text)
          .addColumn('authPolicyId', text, (column) => column.notNull().references('authPolicies.id'))
          .addColumn('roleAttributes', text, (column) => column.notNull())
          .addColumn('defaultHostingCost', 'integer', (column) => column.notNull())
          .addColumn('defaultHostingPrecedence', text, (column) => column.notNull())
          .addColumn('serviceHostingCosts', text, (column) => column.notNull())
          .addColumn('serviceHostingPrecedences', text, (column) => column.notNull())
          .addColumn('appData', text, (column) => column.notNull())
          .addColumn('envInfo', text, (column) => column.notNull())
          .addColumn('sdkInfo', text, (column) => column.notNull())
          .addColumn('disabledAt', text)
          .addColumn('disabledUntil', text)
          .execute();
        await entity('authenticators')
          .addColumn('identityId', text, (column) => column.notNull().references('identities.id').onDelete('cascade'))
          .addColumn('method', text, (column) => column.notNull())
          .addColumn('username', text)
          .addColumn('passwordHash', text)
          .execute();
        await entity('enrollments')
          .addColumn('identityId', text, (column) => column.notNull().references('identities.id').onDelete('cascade'))
          .addColumn('method', text, (column) => column.notNull())
          .addColumn('tokenHash', text, (column) => column.notNull())
          .addColumn('sealed', text, (column) => column.notNull())
          .addColumn('username', text)
          .addColumn('caId', text, (column) => column.references('cas.id').onDelete('cascade'))
          .addColumn('expiresAt', text, (column) => column.notNull())
          .execute();
        await sql`create table "outbox" ("id" ${serial}, "effect" ${text} not null, "createdAt" ${text} not null)`.execute(
          db,
        );

        await unique('identities', 'name');
        await unique('identities', 'externalId');
        await index('identities', 'authPolicyId');
        await unique('authenticators', 'username');
        await index('authenticators', 'identityId');
        await unique('enrollments', 'tokenHash');
        await unique('enrollments', 'identityId', 'method');
        await index('enrollments', 'caId');

        const now = isoTime(clock());
        await sql`insert into "authPolicies" ("id", "createdAt", "updatedAt", "tags", "name", "isSystem")
          values ('default', ${now}, ${now}, '{}', 'Default', 1)`.execute(db);
      },
    },

    '0002-auth-policies-and-totp': {
      async up(db: Kysely<unknown>) {
        const add = (table: string, column: string, type: 'integer' | RawBuilder<string>, initial: number | string) =>
          db.schema
            .alterTable(table)
            .addColumn(column, type, (built) => built.notNull().defaultTo(initial))
            .execute();
        // The default values are also those of the system policy (specification 4.3).
        await add('authPolicies', 'certAllowed', 'integer', 1);
        await add('authPolicies', 'certAllowExpiredCerts', 'integer', 1);
        await add('authPolicies', 'extJwtAllowed', 'integer', 0);
        await add('authPolicies', 'extJwtAllowedSigners', text, '[]');
        await add('authPolicies', 'updbAllowed', 'integer', 1);
        await add('authPolicies', 'updbMinPasswordLength', 'integer', 8);
        await add('authPolicies', 'updbRequireSpecialChar', 'integer', 0);
        await add('authPolicies', 'updbRequireNumberChar', 'integer', 0);
        await add('authPolicies', 'updbRequireMixedCase', 'integer', 0);
        await add('authPolicies', 'updbMaxAttempts', 'integer', 0);
        await add('authPolicies', 'updbLockoutDurationMinutes', 'integer', 0);
        await add('authPolicies', 'requireTotp', 'integer', 0);
        await db.schema.alterTable('authPolicies').addColumn('requireExtJwtSigner', text).execute();
        await db.schema.createIndex('authPolicies_name_unique').unique().on('authPolicies').column('name').execute();

        await add('authenticators', 'failedAttempts', 'integer', 0);
        await add('authenticators', 'pendingAttempts', 'integer', 0);
        await db.schema.alterTable('authenticators').addColumn('pendingSince', text).execute();

        await db.schema
          .createTable('mfas')
          .addColumn('id', text, (column) => column.primaryKey())
          .addColumn('createdAt', text, (column) => column.notNull())
          .addColumn('updatedAt', text, (column) => column.notNull())
          .addColumn('tags', text, (column) => column.notNull())
          .addColumn('identityId', text, (column) => column.notNull().references('identities.id').onDelete('cascade'))
          .addColumn('isVerified', 'integer', (column) => column.notNull())
          .addColumn('sealedSecret', text, (column) => column.notNull())
          .addColumn('sealedRecoveryCodes', text, (column) => column.notNull())
          .addColumn('lastStep', 'integer')
          .addColumn('attempts', 'integer', (column) => column.notNull())
          .addColumn('attemptedAt', text)
          .addColumn('sessionId', text, (column) => column.notNull())
          .execute();
        await db.schema.createIndex('mfas_identityId_unique').unique().on('mfas').column('identityId').execute();
      },
    },
  };
}
