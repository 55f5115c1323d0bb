import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';

/** Rows of `passwordDummies`. The migration has made them: no user name adds one. */
const rows = 1_024;
/** Without the key, nobody can choose two user names that wait for each other because they have the same row. */
const key = randomBytes(32);

/** Locks the dummy of a user name, as an attempt that is counted locks its identity. */
export async function lockDummy({ tx, caller }: UnitOfWork, username: string): Promise<void> {
  const { forUpdate } = caller.database.sql;
  await sql`select "attempts" from "passwordDummies" where "id" = ${dummyOf(username)} ${forUpdate}`.execute(tx);
}

/** Writes the dummy of a user name, as an attempt that is counted writes its password. Nobody reads it. */
export async function writeDummy({ tx }: UnitOfWork, username: string): Promise<void> {
  await tx
    .updateTable('passwordDummies')
    // SQLite writes nothing to the disk when a row stays the same.
    .set({ attempts: sql`"attempts" + 1` })
    .where('id', '=', dummyOf(username))
    .returning('attempts')
    .executeTakeFirst();
}

function dummyOf(username: string): number {
  return createHmac('sha256', key).update(username).digest().readUInt32BE() % rows;
}
