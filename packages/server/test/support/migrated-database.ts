import { copyFileSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { openPostgresEntityStore } from '../../src/storage/entity-store/postgres/entity-store.ts';
import { openSqliteEntityStore } from '../../src/storage/entity-store/sqlite/entity-store.ts';
import { freshDatabase } from './postgres.ts';

let made: Promise<string> | null = null;
let madeFile: Promise<string> | null = null;

/** Puts a SQLite database into a data directory. It has our schema, and no entities besides those of the migrations. */
export async function addMigratedFile(dataDir: string): Promise<void> {
  madeFile ??= makeTemplateFile();
  copyFileSync(await madeFile, join(dataDir, databaseFile));
}

const databaseFile = 'entities.db';

async function makeTemplateFile(): Promise<string> {
  // With what the run shares, which the run removes.
  const file = join(mkdtempSync(join(inject('compileCache'), 'template-')), databaseFile);
  const store = await openSqliteEntityStore({ file });
  await store.close();
  return file;
}

/** URL of a PostgreSQL database for one test. It has our schema, and no entities besides those of the migrations. */
export async function migratedDatabase(): Promise<string> {
  made ??= makeTemplate(inject('postgresUrl'));
  return freshDatabase(inject('postgresUrl'), await made);
}

/** Makes the template of the run, unless another worker has made it. Returns its name. */
async function makeTemplate(postgresUrl: string): Promise<string> {
  // Another run on the same PostgreSQL may have another schema.
  const template = `template_${inject('run')}`;
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [template]);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (rowCount === 0) {
      const url = await freshDatabase(postgresUrl);
      const store = await openPostgresEntityStore({ url });
      await store.close();
      await client.query(`alter database ${new URL(url).pathname.slice(1)} rename to ${template}`);
    }
  } finally {
    // It also releases the lock.
    await client.end();
  }
  return template;
}
