import type { SchemaChange } from './schema-change.ts';

/** Since when the changes of its subjects count for an identity whose subjects have changed, and its services have not. */
export const keptUpdateTimes: SchemaChange = async (db) => {
  await db.schema.alterTable('subjects').addColumn('since', 'bigint').execute();
};
