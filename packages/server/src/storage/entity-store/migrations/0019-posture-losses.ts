import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** Until which generation the posture data of API sessions does not count any more. */
export const postureLosses: SchemaChange = async (db, context) => {
  await db.schema
    .createTable('postureLosses')
    .addColumn('tokenHash', context.text, (column) => column.primaryKey().notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('expiresAt', context.text, (column) => column.notNull())
    .execute();
  await schemaOf(db, context).index('postureLosses', 'expiresAt');
};
