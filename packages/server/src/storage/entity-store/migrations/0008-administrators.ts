import { sql } from 'kysely';
import type { SchemaChange } from './schema-change.ts';

/** An index with the administrators alone, because they are few among many identities. */
export const administrators: SchemaChange = async (db) => {
  await sql`create index "identities_administrators" on "identities" ("id")
    where "isAdmin" = 1 or "isDefaultAdmin" = 1`.execute(db);
};
