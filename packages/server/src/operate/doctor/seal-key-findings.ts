import { join } from 'node:path';
import { readKey } from '../../core/secrets/key-file.ts';
import { isSealKey } from '../../storage/entity-store/seal-check.ts';
import { sealKeyFile } from '../backup/manifest.ts';
import type { DoctorFinding, Installation } from './finding.ts';
import { problemsOf, wrong } from './finding.ts';

/**
 * The seal key is there, and is that of the database.
 *
 * @param sealCheck what the key of the database has sealed. `null`: nothing yet
 */
export async function sealKeyFindings(
  { settings, dataDir }: Installation,
  sealCheck: string | null,
): Promise<readonly DoctorFinding[]> {
  const file = join(dataDir, sealKeyFile);
  try {
    const key = settings.sealKey ?? readKey(file);
    if (sealCheck === null) return [];
    if (key === null) {
      const message = `${file} is missing, but the database has data that its key has sealed`;
      return [wrong(message, 'dataDir', 'restore the file from a backup, or set EDGE_SEAL_KEY to the key')];
    }
    if (isSealKey(key, sealCheck)) return [];
    const message = 'The seal key is not the key of this database';
    const fix = 'restore the key from the backup of this database, or correct EDGE_DATABASE_URL';
    return [wrong(message, settings.sealKey === null ? 'dataDir' : 'sealKey', fix)];
  } catch (error) {
    return problemsOf(error);
  }
}
