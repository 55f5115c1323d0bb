import type { SchemaChange } from './schema-change.ts';

/** Since when the changes of its audiences count for an identity whose audiences have changed, and its services have not. */
export const keptUpdateTimes: SchemaChange = async (db) => {
  await db.schema.alterTable('audiences').addColumn('since', 'bigint').execute();
};
