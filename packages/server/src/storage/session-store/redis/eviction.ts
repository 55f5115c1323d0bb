import { StoreUnusable } from '../../database/unavailable.ts';
import type { RunScript } from './scripts.ts';

const harmless = 'noeviction';

/**
 * Looks whether Redis may evict keys when its memory is full. Then API sessions could end too early, and others could be
 * missing in lists. A right that was taken away stays away: that does not depend on any key of Redis.
 *
 * @throws StoreUnusable when it may and `refuseEviction` is set
 */
export async function checkEviction(
  run: RunScript,
  { url, warn, refuseEviction }: { url: string; warn: (message: string) => void; refuseEviction: boolean },
): Promise<void> {
  // `CONFIG GET` is forbidden on many managed servers; `INFO` is not.
  const info = await run((client) => client.info('memory'));
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? harmless;
  if (policy === harmless) return;
  const message = `Redis at ${new URL(url).host} may evict API sessions: its maxmemory-policy is ${policy}`;
  const fix = `CONFIG SET maxmemory-policy ${harmless}`;
  if (refuseEviction) throw new StoreUnusable(message, { fix: `${fix}, or unset EDGE_REFUSE_EVICTION` });
  warn(`${message}. Set it to ${harmless}: ${fix}`);
}
