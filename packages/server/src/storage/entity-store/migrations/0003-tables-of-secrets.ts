import { sql } from 'kysely';
import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** No column of an entity table is secret, so lists, filters, logs and events of an entity cannot reveal a secret. */
export const tablesOfSecrets: SchemaChange = async (db, { text }) => {
  await db.schema
    .createTable('passwords')
    .addColumn('authenticatorId', text, (column) =>
      column.primaryKey().notNull().references('authenticators.id').onDelete('cascade'),
    )
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('failedAttempts', 'integer', (column) => column.notNull())
    .addColumn('pendingAttempts', 'integer', (column) => column.notNull())
    .addColumn('pendingSince', text)
    .execute();
  await sql`insert into "passwords" ("authenticatorId", "hash", "failedAttempts", "pendingAttempts", "pendingSince")
    select "id", "passwordHash", "failedAttempts", "pendingAttempts", "pendingSince"
    from "authenticators" where "passwordHash" is not null`.execute(db);
  for (const column of ['passwordHash', 'failedAttempts', 'pendingAttempts', 'pendingSince']) {
    await db.schema.alterTable('authenticators').dropColumn(column).execute();
  }

  await db.schema
    .createTable('enrollmentTokens')
    .addColumn('enrollmentId', text, (column) =>
      column.primaryKey().notNull().references('enrollments.id').onDelete('cascade'),
    )
    .addColumn('tokenHash', text, (column) => column.notNull())
    .addColumn('sealed', text, (column) => column.notNull())
    .execute();
  await sql`insert into "enrollmentTokens" ("enrollmentId", "tokenHash", "sealed")
    select "id", "tokenHash", "sealed" from "enrollments"`.execute(db);
  await db.schema.dropIndex('enrollments_tokenHash_unique').execute();
  for (const column of ['tokenHash', 'sealed']) {
    await db.schema.alterTable('enrollments').dropColumn(column).execute();
  }
  await schemaOf(db, { text }).uniqueIndex('enrollmentTokens', 'tokenHash');
};
