import { join, resolve } from 'node:path';
import type { Settings } from '../../core/config/schema.ts';
import type { Clock } from '../../core/time/clock.ts';
import { openDatabaseFile } from '../../storage/database/sqlite/database-error.ts';
import { readExport } from './export-reader.ts';
import type { InstallTarget } from './install.ts';
import { checkPlace, inStaging, installFiles, installRows } from './install.ts';
import { entitiesFile, sealKeyFile } from './manifest.ts';
import { prepareDatabase } from './prepare-database.ts';
import type { Installed } from './restore.ts';
import { readKnown, removeReplaced } from './restore.ts';

interface ImportOptions {
  /** The file with the export. */
  readonly from: string;
  /** Whether what is there already is replaced. */
  readonly replaces: boolean;
  readonly clock: Clock;
}

/**
 * Reads an export into an empty database while no controller runs. All rows are checked in a file of their own before the
 * database gets them, in one transaction. All API sessions end.
 *
 * @throws StartError: the file is damaged or of a newer version; the database is not empty; the seal key is not that of the rows; a
 *   controller runs
 */
export async function importEntities(settings: Settings, { from, replaces, clock }: ImportOptions): Promise<Installed> {
  const path = resolve(from);
  const dataDir = resolve(settings.dataDir);
  const target: InstallTarget = { settings, dataDir, replaces, clock };
  const names = settings.databaseUrl === null ? [entitiesFile] : [];
  return inStaging(dataDir, async (staging) => {
    await checkPlace(target, names);
    const file = join(staging, entitiesFile);
    const { createdAt, controller } = await openDatabaseFile(file, () => readKnown(() => readExport(path, file), path));
    const sealKeyPath = join(dataDir, sealKeyFile);
    const restoration = { from: 'export', createdAt, version: controller } as const;
    await prepareDatabase(file, { sealKey: settings.sealKey, sealKeyPath, restoration, clock });
    await installRows(target, file);
    const replaced = await installFiles(target, staging, names);
    return { createdAt, controller, replaced, warnings: await removeReplaced(target, settings) };
  });
}
