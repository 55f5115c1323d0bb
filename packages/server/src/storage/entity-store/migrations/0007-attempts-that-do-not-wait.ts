import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { SchemaChange } from './schema-change.ts';

const decoys = 1_024;

/** No attempt is pending any more: its result is written in one step. Refused attempts that nothing counts write a decoy. */
export const attemptsThatDoNotWait: SchemaChange = async (schema) => {
  const db = schema as Kysely<{ passwordDummies: { id: number; attempts: number } }>;
  // No process is left to say how these ended.
  await sql`update "passwords" set "failedAttempts" = "failedAttempts" + "pendingAttempts"`.execute(db);
  for (const column of ['pendingAttempts', 'pendingSince']) {
    await db.schema.alterTable('passwords').dropColumn(column).execute();
  }
  await db.schema
    .createTable('passwordDummies')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .execute();
  const rows = Array.from({ length: decoys }, (_, id) => ({ id, attempts: 0 }));
  await db.insertInto('passwordDummies').values(rows).execute();
};
