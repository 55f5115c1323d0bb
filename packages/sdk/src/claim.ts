import type { ClientCore } from './client-core.ts';
import { exclusiveOf } from './shared.ts';

/** How long a claim holds in milliseconds. A page that was closed blocks the others no longer than that. */
export const claimTime = 10_000;

/** A note in the storage: who does something for all clients, until when, and for which session it failed. */
interface ClaimNote {
  readonly owner?: string;
  readonly until?: number;
  readonly failed?: string;
}

/** A claim to do something for all clients with one storage: at most one of them holds it. */
export function createClaim({ storage, storageKey, clock }: ClientCore, purpose: string) {
  const key = `${storageKey} ${purpose}`;
  const owner = `${clock()} ${Math.random()}`;
  const exclusive = <T>(section: () => Promise<T>) => exclusiveOf(storage)(key, section);

  async function read(): Promise<ClaimNote> {
    const note = noteOf(await storage.get(key));
    const left = Number(note.until) - clock();
    // A note from a time that is far ahead was made before the clock was set back.
    return left > 0 && left <= 3 * claimTime ? note : {};
  }

  const isOthers = (note: ClaimNote) => note.owner !== undefined && note.owner !== owner;
  const write = async (time: number, more?: ClaimNote) =>
    storage.set(key, JSON.stringify({ owner, until: clock() + time, ...more }));

  return {
    /**
     * Takes the claim if nobody else holds it and it is wanted. `isWanted` runs in the same section: it may read the
     * storage. `failed`: the session for which an earlier holder failed.
     */
    take: async (isWanted: (failed?: string) => Promise<boolean>): Promise<'mine' | 'held' | 'unwanted'> =>
      exclusive(async () => {
        const note = await read();
        if (isOthers(note) && !note.failed) return 'held';
        if (!(await isWanted(note.failed))) return 'unwanted';
        await write(claimTime);
        return 'mine';
      }),
    /** Holds the claim longer. */
    renew: async (): Promise<void> =>
      exclusive(async () => {
        if (!isOthers(await read())) await write(claimTime);
      }),
    /** Gives the claim back. `failed`: nobody should try it again for this session soon. */
    release: async (failed?: string): Promise<void> =>
      exclusive(async () => {
        if (isOthers(await read())) return;
        if (failed) await write(3 * claimTime, { failed });
        else await storage.remove(key);
      }),
  };
}

function noteOf(text: string | null): ClaimNote {
  try {
    return (JSON.parse(text ?? '') as ClaimNote | null) ?? {};
  } catch {
    return {};
  }
}
