import { chmodSync, copyFileSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Installation } from './installation.ts';
import { replaceFile } from './replace-file.ts';

/** The data directory, its key and its databases. */
export const files: readonly Installation[] = [
  {
    name: 'no data directory',
    ...{ severity: 'warning', check: 'data directory', message: /does not exist/, setIn: /EDGE_DATA_DIR/ },
    fix: /correct EDGE_DATA_DIR/,
    break({ dataDir }) {
      renameSync(dataDir, `${dataDir}-elsewhere`);
      return { after: { EDGE_DATA_DIR: `${dataDir}-elsewhere` } };
    },
  },
  {
    name: 'a file in place of the data directory',
    ...{ severity: 'error', check: 'data directory', message: /it is not a directory/, setIn: /EDGE_DATA_DIR/ },
    fix: /remove what is in its place/,
    break({ dataDir, good }) {
      rmSync(dataDir, { recursive: true });
      writeFileSync(dataDir, '');
      return {
        mend() {
          rmSync(dataDir);
          cpSync(good, dataDir, { recursive: true });
        },
      };
    },
  },
  {
    name: 'a data directory for everybody',
    ...{ severity: 'warning', check: 'data directory', message: /Other users can use/, setIn: /EDGE_DATA_DIR/ },
    fix: /chmod 700/,
    break({ dataDir }) {
      chmodSync(dataDir, 0o755);
      return { mend: () => chmodSync(dataDir, 0o700) };
    },
  },
  {
    name: 'a key for everybody',
    ...{ severity: 'warning', check: 'data directory', message: /read or write \S+root\.key/, setIn: /EDGE_DATA_DIR/ },
    fix: /chmod 600 \S+root\.key/,
    break({ dataDir }) {
      const key = join(dataDir, 'pki/root.key');
      chmodSync(key, 0o644);
      return { mend: () => chmodSync(key, 0o600) };
    },
  },
  {
    name: 'a damaged seal key',
    ...{ severity: 'error', check: 'entity database', message: /seal\.key is damaged/, setIn: /EDGE_DATA_DIR/ },
    fix: /restore the file from a backup/,
    break: (directories) => replaceFile(directories, 'keys/seal.key', 'short\n'),
  },
  {
    name: 'a lost seal key',
    ...{ severity: 'error', check: 'entity database', message: /seal\.key is missing/, setIn: /EDGE_DATA_DIR/ },
    fix: /restore the file from a backup/,
    break: (directories) => replaceFile(directories, 'keys/seal.key', null),
  },
  {
    name: 'the seal key of another database',
    ...{ severity: 'error', check: 'entity database', message: /not the key of this database/, setIn: /EDGE_SEAL_KEY/ },
    fix: /restore the key from the backup of this database/,
    break: ({ good }) => ({
      env: { EDGE_SEAL_KEY: Buffer.alloc(32, 5).toString('base64') },
      after: { EDGE_SEAL_KEY: readFileSync(join(good, 'keys/seal.key'), 'utf8').trim() },
    }),
  },
  {
    name: 'a damaged entity database',
    ...{ severity: 'error', check: 'entity database', message: /entities\.db .*damaged/, setIn: /EDGE_DATA_DIR/ },
    fix: /restore it from a backup/,
    break: (directories) => replaceFile(directories, 'entities.db', 'this was a database once'.repeat(1_000)),
  },
  {
    name: 'a damaged session store',
    ...{ severity: 'error', check: 'session store', message: /sessions\.db .*damaged/, setIn: /EDGE_DATA_DIR/ },
    fix: /move it away/,
    break({ dataDir }) {
      const file = join(dataDir, 'sessions.db');
      writeFileSync(file, 'this was a database once'.repeat(1_000));
      return { mend: () => renameSync(file, `${file}.old`) };
    },
  },
  {
    name: 'a database of a newer version',
    ...{ severity: 'error', check: 'entity database', message: /newer version .*9999-future/, setIn: /EDGE_DATA_DIR/ },
    fix: /restore a backup from before the update/,
    break({ dataDir, good }) {
      query(dataDir, "insert into kysely_migration values ('9999-future', '2999-01-01T00:00:00.000Z')");
      return { mend: () => copyFileSync(join(good, 'entities.db'), join(dataDir, 'entities.db')) };
    },
  },
];

function query(dataDir: string, sql: string): void {
  const database = new Database(join(dataDir, 'entities.db'));
  database.exec(sql);
  database.close();
}
