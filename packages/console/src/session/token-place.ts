import type { TokenStorage } from '@edge-controller/sdk';
import { memoryStorage, webStorage } from '@edge-controller/sdk';

export interface TokenPlace extends TokenStorage {
  /** Whether the token of the next sign-in survives a reload. */
  readonly survivesReload: boolean;
  /** Says where the token of the next sign-in goes. */
  surviveReload(isWanted: boolean): void;
}

/**
 * Keeps the token in memory, so that a reload ends what the page knows of the session. The token survives a reload of the tab only
 * when the person has said so at the sign-in.
 */
export function createTokenPlace(): TokenPlace {
  const memory = memoryStorage();
  const tab = webStorage('session');
  let isWanted: boolean | null = null;

  async function fromTab(key: string): Promise<string | null> {
    const kept = await tab.get(key);
    // What was kept for a reload stays kept.
    if (kept !== null) isWanted ??= true;
    return kept;
  }

  return {
    get survivesReload() {
      return isWanted ?? false;
    },
    surviveReload(wanted) {
      isWanted = wanted;
    },
    get: async (key) => (await memory.get(key)) ?? fromTab(key),
    async set(key, value) {
      const [place, other] = isWanted ? [tab, memory] : [memory, tab];
      await other.remove(key);
      await place.set(key, value);
    },
    async remove(key) {
      await memory.remove(key);
      await tab.remove(key);
    },
  };
}
