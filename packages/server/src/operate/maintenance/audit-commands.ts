import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createCheckpointSigner } from '../../audit/checkpoint-signer.ts';
import { checkpointFile, readCheckpointFile } from '../../audit/checkpoints.ts';
import { readEntries } from '../../audit/read-entries.ts';
import type { Verification } from '../../audit/verify-log.ts';
import { verifyLog } from '../../audit/verify-log.ts';
import type { Settings } from '../../core/config/schema.ts';
import { StartError } from '../../core/start/start-error.ts';
import { systemClock } from '../../core/time/clock.ts';
import { openControllerPki } from '../../pki/controller-pki.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';
import { openEntityStore } from '../../storage/open-stores.ts';
import { readStatus } from './schema-status.ts';

/**
 * Verifies the audit log, also while controllers serve. It changes nothing.
 *
 * @throws StartError when the database or the certificates cannot be used
 */
export async function verifyAuditLog(settings: Settings): Promise<Verification> {
  const { dataDir } = settings;
  await using opened = await openLog(settings);
  const pki = await openControllerPki(settings, systemClock);
  const own = readCheckpointFile(join(dataDir, checkpointFile));
  return await verifyLog({ database: opened.database, signer: createCheckpointSigner(pki), own });
}

/**
 * Reads the audit log from its first entry on: JSON objects, one for each entry, in batches.
 *
 * @throws StartError when the database cannot be used
 */
export async function* exportAuditLog(settings: Settings): AsyncGenerator<readonly object[]> {
  await using opened = await openLog(settings);
  for await (const batch of readEntries(opened.database)) {
    yield batch.map(({ details, ...entry }) => ({ ...entry, details: JSON.parse(details) }));
  }
}

async function openLog(settings: Settings): Promise<AsyncDisposable & { readonly database: EntityStore }> {
  const { dataDir, databaseUrl } = settings;
  // To open a file would create it.
  if (databaseUrl === null && !existsSync(join(dataDir, 'entities.db'))) {
    const message = `${dataDir} has no database`;
    const fix = 'set EDGE_DATA_DIR to the data directory of a controller, or EDGE_DATABASE_URL to its database';
    throw new StartError([{ message, setting: 'dataDir', fix, kind: 'wrong' }]);
  }
  await requireCurrentSchema(settings);
  const database = await openEntityStore(settings, systemClock);
  return { database, [Symbol.asyncDispose]: () => database.close() };
}

/** To open an older database would update its schema, and only a start or `migrate` may do that. */
async function requireCurrentSchema(settings: Settings): Promise<void> {
  const { missing } = await readStatus(settings, systemClock);
  if (missing.length === 0) return;
  const message = `the database has the schema of an older version, without ${missing.join(', ')}`;
  const fix = 'run edge-controller migrate, or use the version that wrote it';
  const setting = settings.databaseUrl === null ? 'dataDir' : null;
  throw new StartError([{ message, setting, fix, kind: 'unusable' }]);
}
