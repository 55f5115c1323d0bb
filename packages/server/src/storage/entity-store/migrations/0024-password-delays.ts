import type { SchemaChange } from './schema-change.ts';

/** Wrong passwords of each user name, also of unknown ones, and the addresses from which an account has signed in. */
export const passwordDelays: SchemaChange = async (db, { text }) => {
  await db.schema
    .createTable('passwordDelays')
    .addColumn('account', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('nextAt', 'bigint', (column) => column.notNull())
    .addColumn('knownUntil', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('passwordDelays_pkey', ['account', 'address'])
    .execute();
};
