import type { TokenStorage } from '../api/token-storage.ts';
import type { Clock } from '../lib/clock.ts';
import type { Exclusive } from './exclusive-of.ts';

/** How long a lease lasts in milliseconds. A page that was closed blocks the others no longer than that. */
export const leaseTime = 10_000;

/** A record in the storage: who does something for all clients, until when, and for which session it failed. */
interface LeaseRecord {
  readonly owner?: string;
  readonly until?: number;
  readonly failed?: string;
}

export type Lease = ReturnType<typeof createLease>;

export interface LeaseParts {
  readonly storage: TokenStorage;
  readonly storageKey: string;
  readonly exclusive: Exclusive;
  readonly clock: Clock;
}

/** A lease to do something for all clients with one storage: at most one of them holds it. */
export function createLease({ storage, storageKey, exclusive, clock }: LeaseParts, purpose: string) {
  const key = `${storageKey} ${purpose}`;
  const owner = `${clock()} ${Math.random()}`;

  async function read(): Promise<LeaseRecord> {
    const record = parseRecord(await storage.get(key));
    const left = Number(record.until) - clock();
    // A record from a time that is far ahead was made before the clock was set back.
    return left > 0 && left <= 3 * leaseTime ? record : {};
  }

  const isOthers = (record: LeaseRecord) => record.owner !== undefined && record.owner !== owner;
  const write = async (time: number, more?: LeaseRecord) =>
    storage.set(key, JSON.stringify({ owner, until: clock() + time, ...more }));

  return {
    /**
     * Takes the lease if nobody else holds it and it is wanted. `isWanted` runs in the same section: it may read the
     * storage. `failed`: the session for which an earlier holder failed.
     */
    take: async (isWanted: (failed?: string) => Promise<boolean>): Promise<'mine' | 'busy' | 'unwanted'> =>
      exclusive(key, async () => {
        const record = await read();
        if (isOthers(record) && !record.failed) return 'busy';
        if (!(await isWanted(record.failed))) return 'unwanted';
        await write(leaseTime);
        return 'mine';
      }),
    /** Extends the lease. */
    renew: async (): Promise<void> =>
      exclusive(key, async () => {
        if (!isOthers(await read())) await write(leaseTime);
      }),
    /** Gives the lease back. `failed`: nobody should try it again for this session soon. */
    release: async (failed?: string): Promise<void> =>
      exclusive(key, async () => {
        if (isOthers(await read())) return;
        if (failed) await write(3 * leaseTime, { failed });
        else await storage.remove(key);
      }),
  };
}

function parseRecord(text: string | null): LeaseRecord {
  try {
    return (JSON.parse(text ?? '') as LeaseRecord | null) ?? {};
  } catch {
    return {};
  }
}
