import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '../../core/config/schema.ts';
import type { Clock } from '../../core/time/clock.ts';
import { isoTime } from '../../core/time/clock.ts';
import { openDatabaseFile } from '../../storage/database/sqlite/database-error.ts';
import type { Snapshot } from '../../storage/entity-store/snapshot.ts';
import { requireDatabase } from './backup.ts';
import type { ExportedRow, Header, Trailer } from './export-format.ts';
import { entitiesFile } from './manifest.ts';
import { createWhole } from './private-files.ts';

interface ExportOptions {
  /** The file that is created. */
  readonly to: string;
  readonly clock: Clock;
  /** The version of this controller. */
  readonly controller: string;
}

/**
 * Writes all rows of the entity database as JSON lines while controllers run: everything that was acknowledged before it began.
 * Only the owner can read the file: it has the hashes of passwords, and secrets that the seal key has sealed. Keys are not in it.
 *
 * @returns the number of rows
 * @throws StartError when something cannot be read or written; no file is left then
 */
export async function exportEntities(settings: Settings, options: ExportOptions): Promise<number> {
  const { databaseUrl, dataDir } = settings;
  return createWhole(resolve(options.to), async (draft) => {
    const write = (snapshot: Snapshot) => writeSnapshot(snapshot, draft, options);
    if (databaseUrl !== null) {
      const { inPostgresSnapshot } = await import('../../storage/entity-store/postgres/snapshot.ts');
      return inPostgresSnapshot(databaseUrl, write);
    }
    await requireDatabase(dataDir);
    const { inSqliteSnapshot } = await import('../../storage/entity-store/sqlite/snapshot.ts');
    return openDatabaseFile(join(resolve(dataDir), entitiesFile), (file) => inSqliteSnapshot(file, write));
  });
}

async function writeSnapshot(
  { changes, tables, rows }: Snapshot,
  path: string,
  { clock, controller }: ExportOptions,
): Promise<number> {
  await using file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  const write = async (lines: readonly (Header | ExportedRow | Trailer)[]) => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    hash.update(text);
    await file.writeFile(text);
  };
  const createdAt = isoTime(clock());
  await write([{ format: 'edge-controller-export', version: 1, createdAt, controller, changes: [...changes] }]);
  let count = 0;
  for (const table of tables) {
    for await (const batch of rows(table)) {
      await write(batch.map((row) => ({ table: table.name, row })));
      count += batch.length;
    }
  }
  await write([{ end: true, rows: count, sha256: hash.copy().digest('hex') }]);
  await file.sync();
  return count;
}
