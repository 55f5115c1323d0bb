import { sql } from 'kysely';
import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** Who did what: the entries in a chain of hashes, the end of the chain, and what controllers have signed about it. */
export const auditLog: SchemaChange = async (db, context) => {
  const { text, counter } = context;
  const { index } = schemaOf(db, context);
  await sql`create table "auditLog" (
    "sequence" ${counter}, "createdAt" ${text} not null, "event" ${text} not null, "outcome" ${text} not null,
    "identityId" ${text}, "entityType" ${text}, "entityId" ${text}, "details" ${text} not null,
    "ipAddress" ${text}, "requestId" ${text}, "hash" ${text} not null)`.execute(db);
  // A list begins with the newest entry.
  const order = ['createdAt', 'sequence'];
  await index('auditLog', ...order);
  for (const column of ['event', 'outcome', 'identityId', 'entityId']) await index('auditLog', column, ...order);
  await sql`create table "auditHead" ("id" ${counter}, "sequence" bigint not null, "hash" ${text} not null)`.execute(
    db,
  );
  await sql`insert into "auditHead" ("id", "sequence", "hash") values (1, 0, ${'0'.repeat(64)})`.execute(db);
  await db.schema
    .createTable('auditCheckpoints')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('createdAt', text, (column) => column.notNull())
    .addColumn('jws', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('auditCheckpoints_pkey', ['kind', 'sequence'])
    .execute();
};
