import { join } from 'node:path';
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
  const database = new Database(join(options.dataDir ?? '', 'entities.db'));
  try {
    const prepared = database.prepare(statement);
    if (prepared.reader) return prepared.all() as Record<string, unknown>[];
    prepared.run();
    return [];
  } finally {
    database.close();
  }
}
