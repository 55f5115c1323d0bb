import { sql } from 'kysely';
import type { EmptyDatabase } from './databases.ts';

/** Creates the tables of identities, services and service policies that decide who may use what. */
export async function createMembershipTables({ db, text }: EmptyDatabase): Promise<void> {
  const type = sql.raw(text);
  for (const entities of ['identities', 'services', 'servicePolicies']) {
    await sql`create table ${sql.table(entities)} ("id" ${type} primary key, "type" ${type})`.execute(db);
  }
  const sets = [
    ['identities', 'roleAttributes', sql``],
    ['services', 'roleAttributes', sql``],
    ['servicePolicies', 'identityRoles', sql`, "need" integer not null`],
    ['servicePolicies', 'serviceRoles', sql`, "need" integer not null`],
  ] as const;
  for (const [owner, field, columns] of sets) {
    const table = `${owner}_${field}`;
    const ownerId = sql`"ownerId" ${type} not null references ${sql.table(owner)} ("id") on delete cascade`;
    const keys = sql`primary key ("value", "ownerId")`;
    await sql`create table ${sql.table(table)} (${ownerId}, "value" ${type} not null${columns}, ${keys})`.execute(db);
    await sql`create index ${sql.ref(`${table}_index`)} on ${sql.table(table)} ("ownerId", "value")`.execute(db);
  }
}

/** Inserts rows, many with one statement. */
export async function insertRows(
  { db }: Pick<EmptyDatabase, 'db'>,
  table: string,
  rows: readonly (readonly (string | number)[])[],
): Promise<void> {
  const size = 5_000;
  for (let at = 0; at < rows.length; at += size) {
    const values = rows.slice(at, at + size).map((row) => sql`(${sql.join(row)})`);
    await sql`insert into ${sql.table(table)} values ${sql.join(values)}`.execute(db);
  }
}
