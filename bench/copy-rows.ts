import { openFile } from '../packages/server/src/storage/database/sqlite/open-file.ts';

interface Copies {
  /** The SQLite file of a controller, which may run. */
  readonly file: string;
  readonly table: string;
  readonly count: number;
  /** Which row is copied: a condition. Default: the first one. */
  readonly like?: string;
  /** The columns that differ from this row, as SQL. `n` counts the copies. */
  readonly columns: Readonly<Record<string, string>>;
  /** What the SQL function `seal` returns. */
  readonly seal?: (text: string) => string;
}

/** Fills a table with copies of one of its rows. It knows no other columns, so that it need not change with them. */
export function copyRows({ file, table, count, columns, like = 'true', seal = String }: Copies): void {
  const database = openFile(file);
  database.function('seal', (text) => seal(String(text)));
  const names = database.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[];
  const values = names.map((name) => columns[name] ?? `"${name}"`);
  database.exec(`with recursive counter (n) as (select 1 union all select n + 1 from counter limit ${count})
    insert into ${table} (${names.map((name) => `"${name}"`).join(', ')})
    select ${values.join(', ')} from counter, (select * from ${table} where ${like} limit 1)`);
  database.close();
}
