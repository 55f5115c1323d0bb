import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** What ends API sessions is in this database, too, because the session store may lose its last writes. */
export const revocation: SchemaChange = async (db, context) => {
  const { text } = context;
  // No foreign key on `authenticatorId`: an API session may come from something else than an authenticator.
  await db.schema
    .createTable('credentials')
    .addColumn('identityId', text, (column) => column.notNull().references('identities.id').onDelete('cascade'))
    .addColumn('authenticatorId', text, (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('keptSessionId', text)
    .addPrimaryKeyConstraint('credentials_pkey', ['identityId', 'authenticatorId'])
    .execute();
  await sql`insert into "credentials" ("identityId", "authenticatorId", "version")
    select "identityId", "id", 0 from "authenticators"`.execute(db);
  await endPending(db);

  await db.schema
    .createTable('endedSessions')
    .addColumn('tokenHash', text, (column) => column.primaryKey().notNull())
    .addColumn('expiresAt', text, (column) => column.notNull())
    .execute();
  await schemaOf(db, context).index('endedSessions', 'expiresAt');
};

/** The version before has stored these ends of API sessions, and not yet told the session store. */
async function endPending(schema: Kysely<unknown>): Promise<void> {
  const db = schema as Kysely<{
    outbox: { effect: string };
    credentials: { identityId: string; authenticatorId: string; version: number; keptSessionId: string | null };
  }>;
  for (const { effect } of await db.selectFrom('outbox').select('effect').execute()) {
    const { kind, identityId, which = {} } = JSON.parse(effect);
    if (kind !== 'endSessions') continue;
    const all = db
      .updateTable('credentials')
      .set({ version: sql<number>`"version" + 1`, keptSessionId: which.exceptId ?? null })
      .where('identityId', '=', identityId);
    const { authenticatorId } = which;
    await (authenticatorId === undefined ? all : all.where('authenticatorId', '=', authenticatorId)).execute();
  }
}
