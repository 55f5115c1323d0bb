import { sql } from 'kysely';
import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** When the services of identities changed last: the subjects of changes, and those that service policies have. */
export const serviceUpdates: SchemaChange = async (db, context) => {
  const { text, serial, clock } = context;
  const { index, rolesTable } = schemaOf(db, context);
  await db.schema
    .createTable('subjects')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('lastChangeAt', 'bigint', (column) => column.notNull())
    .execute();
  await rolesTable('subjects', 'roles');
  await db.schema
    .createTable('policySubjects')
    .addColumn('policyId', text, (column) =>
      column.primaryKey().notNull().references('servicePolicies.id').onDelete('cascade'),
    )
    .addColumn('subjectId', text, (column) => column.notNull())
    .execute();
  await sql`create table "subjectChanges"
    ("id" ${serial}, "subjectId" ${text} not null, "changedAt" bigint not null)`.execute(db);
  await index('subjectChanges', 'subjectId');

  const now = clock();
  await sql`insert into "meta" ("key", "value") values ('lastServiceUpdate', ${String(now)})`.execute(db);
  await sql`insert into "subjects" ("id", "lastChangeAt") values ('everybody', ${now})`.execute(db);
  await sql`insert into "subjects_roles" ("ownerId", "value", "need") values ('everybody', '#all', 1)`.execute(db);
  await sql`insert into "subjects" ("id", "lastChangeAt") select "id", 0 from "servicePolicies"`.execute(db);
  await sql`insert into "subjects_roles" ("ownerId", "value", "need")
    select "ownerId", "value", "need" from "servicePolicies_identityRoles"`.execute(db);
  await sql`insert into "policySubjects" ("policyId", "subjectId") select "id", "id" from "servicePolicies"`.execute(
    db,
  );
};
