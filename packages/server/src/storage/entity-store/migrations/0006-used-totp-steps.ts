import { sql } from 'kysely';
import type { SchemaChange } from './schema-change.ts';

/** A TOTP remembers the time steps that were accepted, and not only the last one. */
export const usedTotpSteps: SchemaChange = async (db, { text }) => {
  await db.schema
    .alterTable('mfas')
    .addColumn('usedSteps', text, (column) => column.notNull().defaultTo('[-1]'))
    .execute();
  await sql`update "mfas" set "usedSteps" = '[' || "lastStep" || ']' where "lastStep" is not null`.execute(db);
  await db.schema.alterTable('mfas').dropColumn('lastStep').execute();
};
