import { access, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '../../core/config/schema.ts';
import { StartError } from '../../core/start/start-error.ts';
import type { Clock } from '../../core/time/clock.ts';
import { isoTime } from '../../core/time/clock.ts';
import { openDatabaseFile } from '../../storage/database/sqlite/database-error.ts';
import type { Snapshot } from '../../storage/entity-store/snapshot.ts';
import type { Manifest } from './manifest.ts';
import { entitiesFile, manifestPath, pkiFiles, sealKeyFile } from './manifest.ts';
import { copyFile, createWhole, digestFile, sync, writePrivately } from './private-files.ts';

interface BackupOptions {
  /** The directory that is created. */
  readonly to: string;
  readonly clock: Clock;
  /** The version of this controller. */
  readonly controller: string;
}

/**
 * Backs up the entities, the PKI and the seal key while controllers run: everything that was acknowledged before it began. API
 * sessions are not in it.
 *
 * @throws StartError when something cannot be read or written; no directory is left then
 */
export async function backup(settings: Settings, { to, clock, controller }: BackupOptions): Promise<Manifest> {
  const dataDir = resolve(settings.dataDir);
  return createWhole(resolve(to), async (draft) => {
    await mkdir(draft, { mode: 0o700 });
    const createdAt = isoTime(clock());
    const changes = await copyEntities(settings, join(draft, entitiesFile));
    const files: Record<string, { bytes: number; sha256: string }> = {};
    const present = await existing(dataDir, [...pkiFiles, sealKeyFile]);
    for (const name of present) await copyFile(join(dataDir, name), join(draft, name));
    for (const name of [entitiesFile, ...present]) files[name] = await digestFile(join(draft, name));
    const manifest: Manifest = {
      ...{ format: 'edge-controller-backup', version: 1, createdAt, controller },
      ...{ changes: [...changes], files },
    };
    await writePrivately(manifestPath(draft), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  });
}

/** Returns the migrations of the copy. */
async function copyEntities({ databaseUrl, dataDir }: Settings, copy: string): Promise<readonly string[]> {
  if (databaseUrl === null) {
    const { copyDatabase, inSqliteSnapshot } = await import('../../storage/entity-store/sqlite/snapshot.ts');
    await requireDatabase(dataDir);
    await openDatabaseFile(join(dataDir, entitiesFile), async (file) => copyDatabase(file, copy));
    await sync(copy);
    return inSqliteSnapshot(copy, async ({ changes }) => changes);
  }
  const { inPostgresSnapshot } = await import('../../storage/entity-store/postgres/snapshot.ts');
  return inPostgresSnapshot(databaseUrl, async (snapshot) => {
    await openDatabaseFile(copy, (file) => copySnapshot(snapshot, file));
    await sync(copy);
    return snapshot.changes;
  });
}

async function copySnapshot(snapshot: Snapshot, file: string): Promise<void> {
  const { StagedDatabase } = await import('../../storage/entity-store/sqlite/staged-database.ts');
  const staged = await StagedDatabase.create(file, snapshot.changes);
  try {
    for (const table of snapshot.tables) for await (const rows of snapshot.rows(table)) staged.insert(table, rows);
    staged.finish();
  } finally {
    staged.close();
  }
}

/** @throws StartError when a data directory has no database */
export async function requireDatabase(dataDir: string): Promise<void> {
  const file = join(dataDir, entitiesFile);
  if ((await existing(dataDir, [entitiesFile])).length > 0) return;
  const fix = 'correct EDGE_DATA_DIR, or set EDGE_DATABASE_URL when the entities are in PostgreSQL';
  throw new StartError([{ message: `${file} does not exist`, setting: 'dataDir', fix, kind: 'wrong' }]);
}

async function existing(directory: string, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map((name) => isThere(join(directory, name))));
  return names.filter((_, at) => found[at]);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
