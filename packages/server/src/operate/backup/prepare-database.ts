import type { Restoration } from '../../audit/record-restoration.ts';
import { recordRestoration } from '../../audit/record-restoration.ts';
import type { Settings } from '../../core/config/schema.ts';
import type { Clock } from '../../core/time/clock.ts';
import { checkEntities } from '../../crud/check-entities.ts';
import { definitions } from '../../entities/index.ts';
import { openDatabaseFile } from '../../storage/database/sqlite/database-error.ts';
import { openSealer } from '../../storage/entity-store/seal-check.ts';
import { openSqliteEntityStore } from '../../storage/entity-store/sqlite/entity-store.ts';
import { checkDatabase } from '../../storage/entity-store/sqlite/staged-database.ts';
import { endAllSessions } from '../../storage/revocation/end-all-sessions.ts';

interface PrepareOptions {
  readonly sealKey: Settings['sealKey'];
  /** The file with the seal key, if the settings have none. */
  readonly sealKeyPath: string;
  /** Where the rows come from. */
  readonly restoration: Restoration;
  readonly clock: Clock;
}

/**
 * Checks a database file that nobody uses yet. Brings its schema up to date, ends its API sessions, and adds the entry of the
 * restoration to its audit log.
 *
 * @throws StartError when the file is damaged, or the seal key is not the one of the database
 */
export function prepareDatabase(path: string, options: PrepareOptions): Promise<void> {
  return openDatabaseFile(path, (file) => prepare(file, options));
}

async function prepare(file: string, { sealKey, sealKeyPath, restoration, clock }: PrepareOptions): Promise<void> {
  checkDatabase(file);
  const store = await openSqliteEntityStore({ file, clock });
  try {
    await checkEntities(definitions, store);
    await openSealer({ sealKey, file: sealKeyPath, database: Promise.resolve(store) });
    await endAllSessions(store, clock());
    await recordRestoration(store, restoration, clock());
  } finally {
    await store.close();
  }
}
