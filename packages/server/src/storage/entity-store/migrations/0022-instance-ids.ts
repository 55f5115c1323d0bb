import { sql } from 'kysely';
import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** Whose instance id a terminator has: the identity that hosts, or who knows the secret. */
export const instanceIds: SchemaChange = async (db, context) => {
  const { text } = context;
  // An earlier version, which may still run, does not write the column.
  await db.schema
    .alterTable('terminators')
    .addColumn('hostId', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`update "terminators" set "hostId" = h."hostId" from "terminatorHosts" h
    where h."terminatorId" = "terminators"."id"`.execute(db);
  await schemaOf(db, context).index('terminators', 'identity', 'serviceId');
  await db.schema
    .createTable('terminatorSecrets')
    .addColumn('terminatorId', text, (column) =>
      column.primaryKey().notNull().references('terminators.id').onDelete('cascade'),
    )
    .addColumn('secretHash', text, (column) => column.notNull())
    .execute();
};
