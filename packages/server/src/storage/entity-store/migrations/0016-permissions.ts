import { sql } from 'kysely';
import type { SchemaChange } from './schema-change.ts';

/** The permissions of identities, and an index with those that have some: they are few among many identities. */
export const permissions: SchemaChange = async (db, { text }) => {
  await db.schema.alterTable('identities').addColumn('permissions', text).execute();
  await sql`create index "identities_permissions" on "identities" ("id") where "permissions" is not null`.execute(db);
};
