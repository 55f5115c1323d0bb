import type { TokenStorage } from '../api/token-storage.ts';
import type { Clock } from '../lib/clock.ts';
import type { Exclusive } from './exclusive-of.ts';

/** How long a lease lasts in milliseconds. A page that was closed blocks the others no longer than that. */
export const leaseTime = 10_000;

/** A note in the storage: who does something for all clients, until when, and for which session it failed. */
interface LeaseNote {
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

  async function read(): Promise<LeaseNote> {
    const note = noteOf(await storage.get(key));
    const left = Number(note.until) - clock();
    // A note from a time that is far ahead was made before the clock was set back.
    return left > 0 && left <= 3 * leaseTime ? note : {};
  }

  const isOthers = (note: LeaseNote) => note.owner !== undefined && note.owner !== owner;
  const write = async (time: number, more?: LeaseNote) =>
    storage.set(key, JSON.stringify({ owner, until: clock() + time, ...more }));

  return {
    /**
     * Takes the lease if nobody else holds it and it is wanted. `isWanted` runs in the same section: it may read the
     * storage. `failed`: the session for which an earlier holder failed.
     */
    take: async (isWanted: (failed?: string) => Promise<boolean>): Promise<'mine' | 'held' | 'unwanted'> =>
      exclusive(key, async () => {
        const note = await read();
        if (isOthers(note) && !note.failed) return 'held';
        if (!(await isWanted(note.failed))) return 'unwanted';
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

function noteOf(text: string | null): LeaseNote {
  try {
    return (JSON.parse(text ?? '') as LeaseNote | null) ?? {};
  } catch {
    return {};
  }
}
