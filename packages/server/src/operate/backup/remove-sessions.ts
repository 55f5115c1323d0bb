import { join, resolve } from 'node:path';
import type { Settings } from '../../core/config/schema.ts';
import type { Clock } from '../../core/time/clock.ts';
import { thisMachine } from '../../core/time/clock.ts';
import { openSealer } from '../../storage/entity-store/seal-check.ts';
import { openStores } from '../../storage/open-stores.ts';
import { sealKeyFile } from './manifest.ts';

const batch = 500;

/**
 * Removes all API sessions from their store. No controller accepts them any more, but lists would show them until they expire.
 *
 * @throws when the store cannot be reached
 */
export async function removeSessions(settings: Settings, clock: Clock): Promise<void> {
  const dataDir = resolve(settings.dataDir);
  const file = join(dataDir, sealKeyFile);
  const stores = await openStores(
    { ...settings, dataDir, serves: false },
    {
      ...{ clock, machine: thisMachine, warn: () => undefined, meter: null },
      attemptRate: { rate: 0, burst: 0 },
      openSealer: (database) => openSealer({ sealKey: settings.sealKey, file, database }),
    },
  );
  try {
    for (let count = batch; count === batch; ) {
      count = 0;
      const { batches } = await stores.sessions.list({ limit: batch, sort: 'id asc' });
      for await (const sessions of batches) {
        count += sessions.length;
        for (const session of sessions) await stores.sessions.remove(session);
      }
    }
  } finally {
    await stores.close();
  }
}
