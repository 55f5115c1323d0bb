import type { TokenStorage } from '@edge-controller/sdk';
import { memoryStorage, webStorage } from '@edge-controller/sdk';

export interface TokenPlace extends TokenStorage {
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
  let next = memory;
  return {
    surviveReload(isWanted) {
      next = isWanted ? tab : memory;
    },
    get: async (key) => (await memory.get(key)) ?? tab.get(key),
    async set(key, value) {
      const other = next === tab ? memory : tab;
      await other.remove(key);
      await next.set(key, value);
    },
    async remove(key) {
      await memory.remove(key);
      await tab.remove(key);
    },
  };
}
