import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../core/config/schema.ts';
import { StartError } from '../../core/start/start-error.ts';
import type { Clock } from '../../core/time/clock.ts';
import { inspectPki } from '../../pki/inspect-pki.ts';
import { NewerSchema } from '../../storage/database/newer-schema.ts';
import type { InstallTarget } from './install.ts';
import { checkPlace, inStaging, installFiles, installRows } from './install.ts';
import type { Manifest } from './manifest.ts';
import { entitiesFile, readBackup, sealKeyFile } from './manifest.ts';
import { prepareDatabase } from './prepare-database.ts';
import { copyFile } from './private-files.ts';
import { removeSessions } from './remove-sessions.ts';

interface RestoreOptions {
  /** The directory of the backup. */
  readonly from: string;
  /** Whether what is there already is replaced. */
  readonly replaces: boolean;
  readonly clock: Clock;
}

/** How often the sessions are removed before that is given up, and the milliseconds between. */
const [removalAttempts, removalPause] = [3, 1_000];

/** What was restored, or imported. */
export interface Installed {
  readonly createdAt: string;
  /** The version of the controller that the rows come from. */
  readonly controller: string;
  /** The directory with the files that were replaced, if there were any. */
  readonly replaced: string | null;
  readonly warnings: readonly string[];
}

/**
 * Restores a backup while no controller runs. Everything is checked before anything changes. All API sessions end.
 *
 * @throws StartError when the backup is damaged or newer than this version, when something is there already, or when a
 *   controller runs
 */
export async function restore(settings: Settings, { from, replaces, clock }: RestoreOptions): Promise<Installed> {
  const backup = resolve(from);
  const dataDir = resolve(settings.dataDir);
  const manifest = await readKnown(() => readBackup(backup), backup);
  const { createdAt, controller } = manifest;
  const target: InstallTarget = { settings, dataDir, replaces, clock };
  const names = Object.keys(manifest.files).filter((name) => name !== entitiesFile || settings.databaseUrl === null);
  return inStaging(dataDir, async (staging) => {
    await checkPlace(target, names);
    for (const name of Object.keys(manifest.files)) {
      await copyFile(join(backup, name), join(staging, name), name.endsWith('.pem') ? 0o644 : 0o600);
    }
    const sealKeyPath = join(manifest.files[sealKeyFile] ? staging : dataDir, sealKeyFile);
    const file = join(staging, entitiesFile);
    const restoration = { from: 'backup', createdAt, version: controller } as const;
    await prepareDatabase(file, { sealKey: settings.sealKey, sealKeyPath, restoration, clock });
    const warnings = await warnOfPki(join(staging, 'pki'), manifest, clock);
    await installRows(target, file);
    const replaced = await installFiles(target, staging, names);
    return { createdAt, controller, replaced, warnings: [...warnings, ...(await removeReplaced(target, settings))] };
  });
}

/** Names what a newer version has made. */
export async function readKnown<T>(read: () => Promise<T>, path: string): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof NewerSchema)) throw error;
    const message = `${path} comes from a newer version of the controller, which this one cannot read`;
    const fix = 'nothing was changed: use that version of the controller, or an older backup or export';
    throw new StartError([{ message, setting: null, fix, kind: 'wrong' }], { cause: error });
  }
}

/** An old backup may have certificates that have expired since. The operator must see it, and can still restore. */
async function warnOfPki(dir: string, { files }: Manifest, clock: Clock): Promise<readonly string[]> {
  if (!Object.keys(files).some((name) => name.startsWith('pki'))) return ['The backup has no PKI.'];
  const { problems } = await inspectPki({ dir, host: null, trustDomain: null }, clock());
  return problems.map(({ message }) => message.replace(dir, 'pki'));
}

/**
 * Removes the API sessions of the rows that were replaced. Where nothing was replaced, the store may have sessions of somebody else:
 * of a network whose backup is tried beside it.
 *
 * @returns a warning when the sessions cannot be removed
 */
export async function removeReplaced(
  { replaces, clock }: InstallTarget,
  settings: Settings,
): Promise<readonly string[]> {
  if (!replaces) return [];
  for (let attempt = 1; attempt <= removalAttempts; attempt += 1) {
    try {
      await removeSessions(settings, clock);
      return [];
    } catch {
      // Their store may have started a moment ago.
      await sleep(removalPause);
    }
  }
  return ['The API sessions have ended, but could not be removed. Lists show them until they expire.'];
}
