import type { SchemaChange } from './schema-change.ts';

/** Who hosts at a terminator: the session of the service, its identity, and what it tells those who dial. */
export const terminatorHosts: SchemaChange = async (db, { text }) => {
  await db.schema
    .createTable('terminatorHosts')
    .addColumn('terminatorId', text, (column) =>
      column.primaryKey().notNull().references('terminators.id').onDelete('cascade'),
    )
    .addColumn('sessionId', text, (column) => column.notNull())
    .addColumn('hostId', text, (column) => column.notNull())
    .addColumn('peerData', text, (column) => column.notNull())
    .execute();
};
