import { access, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { isoTime } from '../lib/clock.ts';
import { fileError, openDirectory } from '../lib/file-problem.ts';
import { StartError } from '../lib/start-error.ts';
import { lockDataDirectory } from '../open-stores.ts';
import { entitiesFile } from './manifest.ts';
import { sync } from './private-files.ts';

/** Where rows and files are installed. */
export interface Target {
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
  const staging = join(dataDir, `.staging-${process.pid}`);
  try {
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
export async function checkPlace({ dataDir, replaces }: Target, names: readonly string[]): Promise<void> {
  if (replaces) return;
  const present = await presentIn(dataDir, names);
  if (present.length === 0) return;
  const message = `The data directory ${dataDir} is not empty: it has ${present.join(', ')}`;
  const fix = 'use an empty data directory, or add --replace, which moves what is there aside';
  throw new StartError([{ message, setting: 'dataDir', fix, kind: 'wrong' }]);
}

/**
 * Puts checked files in their places, the database last. What they replace is moved aside, where it stays.
 *
 * @returns the directory with what was replaced, or `null`
 */
export async function installFiles(
  { dataDir, clock }: Target,
  staging: string,
  names: readonly string[],
): Promise<string | null> {
  const aside = join(dataDir, `replaced-${isoTime(clock()).replaceAll(/[:.]/g, '-')}`);
  const replaced = await presentIn(dataDir, names.flatMap(withLogs));
  for (const name of replaced) await move(join(dataDir, name), join(aside, name));
  for (const name of [...names].sort((one, other) => Number(one === entitiesFile) - Number(other === entitiesFile))) {
    await move(join(staging, name), join(dataDir, name));
  }
  await sync(dataDir);
  return replaced.length > 0 ? aside : null;
}

/** Installs the rows of a checked database file in PostgreSQL, if the entities are there. */
export async function installRows({ settings, replaces, clock }: Target, file: string): Promise<void> {
  const { databaseUrl } = settings;
  if (databaseUrl === null) return;
  const { inSqliteSnapshot } = await import('../entity-store/sqlite/snapshot.ts');
  const { replaceRows } = await import('../entity-store/postgres/snapshot.ts');
  await inSqliteSnapshot(file, (snapshot) => replaceRows(databaseUrl, snapshot, { replaces, clock }));
}

/** A killed controller leaves these beside its database. */
function withLogs(name: string): string[] {
  return name === entitiesFile ? [name, `${name}-wal`, `${name}-shm`] : [name];
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

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
  await sync(dirname(to));
}
