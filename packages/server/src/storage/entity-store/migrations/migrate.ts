import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Clock } from '../../../core/time/clock.ts';
import { NewerSchema } from '../../database/newer-schema.ts';
import { schemaChanges } from './index.ts';
import type { SchemaContext } from './schema-change.ts';

const columnTypes: Readonly<Record<'sqlite' | 'postgres', Omit<SchemaContext, 'clock'>>> = {
  sqlite: {
    text: sql`text`,
    serial: sql`integer primary key autoincrement`,
    counter: sql`integer primary key`,
  },
  postgres: {
    text: sql`text collate "C"`,
    serial: sql`bigint generated always as identity primary key`,
    counter: sql`bigint primary key`,
  },
};

/**
 * Brings the schema up to date, or up to the change `last`. Holds a lock meanwhile. All changes are one transaction: after
 * a failure or a crash the database is as before, and the next start tries again. Throws the error of a failed change.
 *
 * @throws NewerSchema when the database has changes that this version does not know
 */
export async function migrate(
  db: Kysely<never>,
  { dialect, clock, last }: { dialect: 'sqlite' | 'postgres'; clock: Clock; last?: string },
): Promise<void> {
  const context = { ...columnTypes[dialect], clock };
  const migrations = Object.fromEntries(
    Object.entries(schemaChanges).map(([name, change]) => [name, { up: (tx: Kysely<unknown>) => change(tx, context) }]),
  );
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  if (last === undefined && (await isUpToDate(db, migrator))) return;
  const { error } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last));
  if (error) throw error;
}

/** Most starts find nothing to do, and take no lock. */
async function isUpToDate(db: Kysely<never>, migrator: Migrator): Promise<boolean> {
  const known = await migrator.getMigrations();
  if (known.every(({ executedAt }) => executedAt === undefined)) return false;
  const { rows } = await sql<{ name: string }>`select "name" from "kysely_migration"`.execute(db);
  const unknown = rows.map(({ name }) => name).filter((name) => !Object.hasOwn(schemaChanges, name));
  if (unknown.length > 0) throw new NewerSchema(unknown);
  return rows.length === known.length;
}
