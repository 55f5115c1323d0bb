import type { SchemaChange } from './schema-change.ts';

/** Whether somebody else than its owner has set a password. Of the existing ones nobody knows it. */
export const passwordsOfOthers: SchemaChange = async (db) => {
  await db.schema
    .alterTable('passwords')
    .addColumn('isSetByOther', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
};
