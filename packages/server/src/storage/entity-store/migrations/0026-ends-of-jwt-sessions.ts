import type { SchemaChange } from './schema-change.ts';

/** What ends the API sessions that a JWT of a signer has opened. */
export const endsOfJwtSessions: SchemaChange = async (db, { text }) => {
  await db.schema.alterTable('externalJwtSigners').addColumn('sessionsEndAt', text).execute();
};
