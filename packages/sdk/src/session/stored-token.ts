import type { Logger } from '../api/options.ts';
import type { TokenStorage } from '../api/token-storage.ts';
import type { Exclusive } from './exclusive-of.ts';

export type StoredToken = ReturnType<typeof createStoredToken>;

/**
 * The token in a storage. Clients change it one after the other. Each changes only its own token. A damaged one is removed by
 * whoever finds it.
 */
export function createStoredToken(
  storage: TokenStorage,
  key: string,
  exclusive: Exclusive,
  logger: Logger | undefined,
) {
  const get = async () => storage.get(key);
  const read = () =>
    exclusive(key, async () => {
      const token = await get();
      if (!isDamaged(token)) return token;
      await storage.remove(key);
      try {
        logger?.warn('the token in the storage was damaged and is removed');
      } catch {
        // A failing logger must not affect the client.
      }
      return null;
    });
  return {
    /** The token, also while another client is about to change it. */
    async peek(): Promise<string | null> {
      const token = await get();
      return isDamaged(token) ? read() : token;
    },
    /** The token after all changes that have begun. */
    read,
    /** Writes the token, unless it is not wanted any more when it is its turn. */
    write: (token: string, isWanted: () => boolean): Promise<void> =>
      exclusive(key, async () => {
        if (isWanted()) await storage.set(key, token);
      }),
    /** Removes the token, unless the storage has another one by now. */
    remove: (token: string): Promise<void> =>
      exclusive(key, async () => {
        if ((await get()) === token) await storage.remove(key);
      }),
  };
}

/** No header can carry it, and the error of the platform would quote it. */
function isDamaged(token: unknown): boolean {
  return token !== null && token !== undefined && !(typeof token === 'string' && /^[\x20-\x7e]*$/.test(token));
}
