import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { openFile } from '../../database/sqlite/open-file.ts';
import { migrate } from '../migrations/migrate.ts';
import { RefusedRow } from '../refused-row.ts';
import type { StoredRow, TableShape } from '../table-shape.ts';
import { describeTables } from './describe-tables.ts';

/** A new entity database that gets its rows from somewhere else. Nobody uses it before it is complete. */
export class StagedDatabase {
  readonly tables: readonly TableShape[];
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  private constructor(database: Database.Database, tables: readonly TableShape[]) {
    this.#database = database;
    this.tables = tables;
    // The rows may come in any order: `finish` checks what they refer to.
    database.pragma('foreign_keys = OFF');
    database.exec('begin');
    for (const { name } of tables) database.exec(`delete from "${name}"`);
  }

  /** Creates the file, with the schema that these migrations make. */
  static async create(file: string, changes: readonly string[]): Promise<StagedDatabase> {
    const tables = await describeTables(changes);
    const database = openFile(file);
    try {
      const db = new Kysely<never>({ dialect: new SqliteDialect({ database }) });
      await migrate(db, { dialect: 'sqlite', clock: () => 0, last: changes.at(-1) ?? '' });
      return new StagedDatabase(database, tables);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** @throws RefusedRow when the database refuses a row */
  insert(table: TableShape, rows: readonly StoredRow[]): void {
    const statement = this.#statements.get(table.name) ?? this.#prepare(table);
    try {
      for (const row of rows) statement.run(table.columns.map(({ name }) => row[name]));
    } catch (error) {
      // The message of SQLite has the names of table and column, and no value.
      const isOfRow = error instanceof Database.SqliteError && /^SQLITE_(CONSTRAINT|MISMATCH|RANGE)/.test(error.code);
      throw isOfRow ? new RefusedRow(`${table.name}: ${error.message}`) : error;
    }
  }

  /** @throws RefusedRow when a row refers to one that does not exist */
  finish(): void {
    checkReferences(this.#database);
    this.#database.exec('commit');
    this.#database.close();
  }

  close(): void {
    this.#database.close();
  }

  #prepare({ name, columns }: TableShape): Database.Statement {
    const names = columns.map((column) => `"${column.name}"`);
    const sql = `insert into "${name}" (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`;
    const statement = this.#database.prepare(sql);
    this.#statements.set(name, statement);
    return statement;
  }
}

/**
 * Checks a database file that nobody uses: its pages, and what its rows refer to.
 *
 * @throws StartError with what is wrong
 */
export function checkDatabase(file: string): void {
  const database = openFile(file);
  try {
    const [first] = database.pragma('integrity_check(1)') as { integrity_check: string }[];
    if (first?.integrity_check !== 'ok')
      throw new RefusedRow(`the database is damaged: ${first?.integrity_check ?? ''}`);
    checkReferences(database);
  } finally {
    database.close();
  }
}

interface Dangling {
  readonly table: string;
  readonly rowid: number;
  readonly parent: string;
}

function checkReferences(database: Database.Database): void {
  const [first] = database.pragma('foreign_key_check') as Dangling[];
  if (!first) return;
  const { table, rowid, parent } = first;
  const row = database.prepare(`select * from "${table}" where rowid = ?`).get(rowid) as StoredRow;
  throw new RefusedRow(`${table}: a row refers to a row of ${parent} that does not exist`, { table, row });
}
