import { sql } from 'kysely';
import { isoTime } from '../../../core/time/clock.ts';
import type { SchemaChange } from './schema-change.ts';

export const identities: SchemaChange = async (db, { text, serial, clock }) => {
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
};
