import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { StartError } from '../../../core/start/start-error.ts';
import { NewerSchema } from '../../database/newer-schema.ts';
import { schemaChanges } from './index.ts';

/** How the schema of a database compares with what this version knows: names of migrations, in their order. */
export interface SchemaStatus {
  readonly applied: readonly string[];
  readonly missing: readonly string[];
  /** Those of a newer version. */
  readonly unknown: readonly string[];
}

/** Reads which migrations a database has. It has none when it is empty. */
export async function readSchemaStatus(db: Kysely<never>, dialect: 'sqlite' | 'postgres'): Promise<SchemaStatus> {
  const { rows: found } = await (dialect === 'sqlite'
    ? sql`select 1 from sqlite_schema where name = 'kysely_migration'`.execute(db)
    : sql`select 1 where to_regclass('kysely_migration') is not null`.execute(db));
  const names = found.length === 0 ? [] : await readNames(db);
  return {
    applied: names.filter(isKnown),
    missing: Object.keys(schemaChanges).filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !isKnown(name)),
  };
}

/**
 * Checks the names of the migrations of a database, and returns them.
 *
 * @throws NewerSchema when this version does not know one of them
 */
export function checkChanges(names: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length > 0) throw new NewerSchema(unknown);
  return names;
}

/**
 * The names of the migrations that a database has, in their order.
 *
 * @throws NewerSchema when this version does not know one of them
 * @throws StartError when it has none
 */
export async function readAppliedChanges(
  db: Kysely<never>,
  dialect: 'sqlite' | 'postgres',
): Promise<readonly string[]> {
  const { applied, unknown } = await readSchemaStatus(db, dialect);
  if (unknown.length > 0) throw new NewerSchema(unknown);
  if (applied.length > 0) return applied;
  const fix = 'correct EDGE_DATA_DIR or EDGE_DATABASE_URL, or start the controller once, which fills the database';
  throw new StartError([
    { message: 'The database has no tables of a controller', setting: null, fix, kind: 'unusable' },
  ]);
}

async function readNames(db: Kysely<never>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select "name" from "kysely_migration" order by "name"`.execute(db);
  return rows.map(({ name }) => name);
}

function isKnown(name: string): boolean {
  return Object.hasOwn(schemaChanges, name);
}
