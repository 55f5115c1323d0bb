import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { TestController } from './controller.ts';

/** Runs one statement on the entity database of a controller, beside it, and returns the rows. */
export async function sql(
  { options }: Pick<TestController, 'options'>,
  statement: string,
): Promise<readonly Record<string, unknown>[]> {
  if (options.databaseUrl) {
    const client = new pg.Client({ connectionString: options.databaseUrl });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }
  // A wait inside SQLite would block the controller, which may have to end its own transaction first.
  const database = new Database(join(options.dataDir ?? '', 'entities.db'), { timeout: 0 });
  try {
    const prepared = database.prepare(statement);
    for (const giveUpAt = performance.now() + 10_000; ; await sleep(2)) {
      try {
        if (prepared.reader) return prepared.all() as Record<string, unknown>[];
        prepared.run();
        return [];
      } catch (error) {
        const isBusy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
        if (!isBusy || performance.now() > giveUpAt) throw error;
      }
    }
  } finally {
    database.close();
  }
}
