import { access, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkpointFile } from '../../audit/checkpoints.ts';
import type { Settings } from '../../core/config/schema.ts';
import { fileError, openDirectory } from '../../core/start/file-problem.ts';
import { StartError } from '../../core/start/start-error.ts';
import type { Clock } from '../../core/time/clock.ts';
import { isoTime } from '../../core/time/clock.ts';
import { lockDataDirectory } from '../../storage/open-stores.ts';
import { entitiesFile } from './manifest.ts';
import { sync } from './private-files.ts';

const stagingPrefix = '.staging-';

/** Where rows and files are installed. */
export interface InstallTarget {
  readonly settings: Pick<Settings, 'databaseUrl'>;
  readonly dataDir: string;
  /** False: what is there already is an error. */
  readonly replaces: boolean;
  readonly clock: Clock;
}

/**
 * Runs `work` with a directory of its own in the data directory, for what is not checked yet. No controller can use the data
 * directory meanwhile.
 *
 * @throws StartError when a controller uses it, or for an error of the file system
 */
export async function inStaging<T>(dataDir: string, work: (staging: string) => Promise<T>): Promise<T> {
  openDirectory(dataDir);
  const release = await lockDataDirectory(dataDir);
  const staging = join(dataDir, `${stagingPrefix}${process.pid}`);
  try {
    // A process that was killed has left it.
    const abandoned = (await readdir(dataDir)).filter((name) => name.startsWith(stagingPrefix));
    for (const name of abandoned) await rm(join(dataDir, name), { recursive: true });
    await mkdir(staging, { mode: 0o700 });
    return await work(staging);
  } catch (error) {
    throw fileError(staging, error);
  } finally {
    await rm(staging, { recursive: true, force: true });
    release();
  }
}

/**
 * @param names files that will be installed, relative to the data directory
 * @throws StartError when the data directory has one of them, and nothing may be replaced
 */
export async function checkPlace({ dataDir, replaces }: InstallTarget, names: readonly string[]): Promise<void> {
  if (replaces) return;
  const present = await presentIn(dataDir, names);
  if (present.length === 0) return;
  const message = `The data directory ${dataDir} is not empty: it has ${present.join(', ')}, which would be replaced`;
  const fix = 'use an empty data directory, or add --replace, which moves what is there aside';
  throw new StartError([{ message, setting: 'dataDir', fix, kind: 'wrong' }]);
}

/**
 * Puts checked files in their places, the database last. What they replace stays, in a directory beside them. Each file is replaced
 * in one step: when the process is killed, no file is missing, so that no start takes the data directory for a new one.
 *
 * @returns the directory with what was replaced, or `null`
 */
export async function installFiles(
  { dataDir, clock }: InstallTarget,
  staging: string,
  names: readonly string[],
): Promise<string | null> {
  const aside = join(dataDir, `replaced-${isoTime(clock()).replaceAll(/[:.]/g, '-')}`);
  const replaced = await presentIn(dataDir, names);
  for (const name of replaced) {
    await mkdir(dirname(join(aside, name)), { recursive: true, mode: 0o700 });
    if (name === entitiesFile) await settleLog(dataDir, aside);
    await link(join(dataDir, name), join(aside, name));
  }
  for (const name of [...names].sort((one, other) => Number(one === entitiesFile) - Number(other === entitiesFile))) {
    const place = join(dataDir, name);
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await rename(join(staging, name), place);
    await sync(dirname(place));
  }
  const signed = await setCheckpointAside(dataDir, aside);
  return replaced.length > 0 || signed ? aside : null;
}

/** What this controller has signed about the end of the replaced audit log would say that the new one is cut off. */
async function setCheckpointAside(dataDir: string, aside: string): Promise<boolean> {
  const [name] = await presentIn(dataDir, [checkpointFile]);
  if (name === undefined) return false;
  await mkdir(dirname(join(aside, name)), { recursive: true, mode: 0o700 });
  await rename(join(dataDir, name), join(aside, name));
  return true;
}

/** A killed controller leaves a log beside its database, which must not get to the new one. */
async function settleLog(dataDir: string, aside: string): Promise<void> {
  const { writeLog } = await import('../../storage/database/sqlite/open-file.ts');
  try {
    writeLog(join(dataDir, entitiesFile));
  } catch {
    // A damaged database is replaced, too. Its log goes with it.
  }
  for (const name of await presentIn(dataDir, [`${entitiesFile}-wal`, `${entitiesFile}-shm`])) {
    await rename(join(dataDir, name), join(aside, name));
  }
}

/** Installs the rows of a checked database file in PostgreSQL, if the entities are there. */
export async function installRows({ settings, replaces, clock }: InstallTarget, file: string): Promise<void> {
  const { databaseUrl } = settings;
  if (databaseUrl === null) return;
  const { inSqliteSnapshot } = await import('../../storage/entity-store/sqlite/snapshot.ts');
  const { replaceRows } = await import('../../storage/entity-store/postgres/snapshot.ts');
  await inSqliteSnapshot(file, (snapshot) => replaceRows(databaseUrl, snapshot, { replaces, clock }));
}

async function presentIn(directory: string, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    names.map((name) =>
      access(join(directory, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return names.filter((_, at) => found[at]);
}
