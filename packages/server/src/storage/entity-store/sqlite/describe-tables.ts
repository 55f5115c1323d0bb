import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { migrate } from '../migrations/migrate.ts';
import type { TableShape } from '../table-shape.ts';

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

/**
 * The tables of a schema that has these migrations. Each comes after the tables that it refers to. They are the same on both
 * databases, so they are read from an empty one in memory.
 */
export async function describeTables(changes: readonly string[]): Promise<readonly TableShape[]> {
  const database = new Database(':memory:');
  try {
    const db = new Kysely<never>({ dialect: new SqliteDialect({ database }) });
    await migrate(db, { dialect: 'sqlite', clock: () => 0, last: changes.at(-1) ?? '' });
    const names = database
      .prepare<[], string>(
        `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'
          and name not like 'kysely\\_%' escape '\\' order by name`,
      )
      .pluck()
      .all();
    return inOrder(database, names).map((name) => describe(database, name));
  } finally {
    database.close();
  }
}

function describe(database: Database.Database, name: string): TableShape {
  const columns = database.prepare<[string], ColumnInfo>('select * from pragma_table_info(?)').all(name);
  return {
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: typeOf(column.type),
      canBeNull: column.notnull === 0 && column.pk === 0,
    })),
    key: columns
      .filter(({ pk }) => pk > 0)
      .sort((one, other) => one.pk - other.pk)
      .map((column) => column.name),
  };
}

function typeOf(type: string): TableShape['columns'][number]['type'] {
  const lower = type.toLowerCase();
  if (lower === 'text' || lower === 'double precision') return lower;
  if (lower === 'integer' || lower === 'bigint') return 'integer';
  throw new Error(`a column of the type ${type} can be neither backed up nor exported`);
}

function inOrder(database: Database.Database, names: readonly string[]): readonly string[] {
  const references = database
    .prepare<[string], string>('select distinct "table" from pragma_foreign_key_list(?)')
    .pluck();
  const ordered = new Set<string>();
  const visit = (name: string, trail: readonly string[]) => {
    if (trail.includes(name))
      throw new Error(`the tables ${[...trail, name].join(', ')} refer to each other in a circle`);
    const others = references.all(name).filter((other) => other !== name && !ordered.has(other));
    for (const other of others) visit(other, [...trail, name]);
    ordered.add(name);
  };
  for (const name of names) if (!ordered.has(name)) visit(name, []);
  return [...ordered];
}
