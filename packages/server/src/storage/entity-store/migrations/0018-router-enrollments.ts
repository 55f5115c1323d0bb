import { sql } from 'kysely';
import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** An enrollment belongs to an identity, an edge router or a transit router. */
export const routerEnrollments: SchemaChange = async (db, context) => {
  const { index, uniqueIndex } = schemaOf(db, context);
  const reference = (column: string, to: string) =>
    db.schema
      .alterTable('enrollments')
      .addColumn(column, context.text, (added) => added.references(`${to}.id`).onDelete('cascade'))
      .execute();
  // SQLite cannot take `not null` from a column, so another one takes its place.
  await reference('optionalIdentityId', 'identities');
  await sql`update "enrollments" set "optionalIdentityId" = "identityId"`.execute(db);
  await db.schema.dropIndex('enrollments_identityId_method_unique').execute();
  await db.schema.alterTable('enrollments').dropColumn('identityId').execute();
  await db.schema.alterTable('enrollments').renameColumn('optionalIdentityId', 'identityId').execute();
  await uniqueIndex('enrollments', 'identityId', 'method');
  for (const [column, to] of [
    ['edgeRouterId', 'edgeRouters'],
    ['transitRouterId', 'transitRouters'],
  ] as const) {
    await reference(column, to);
    await index('enrollments', column);
  }
};
