import type { TokenStorage } from '../api/token-storage.ts';
import type { Exclusive } from './exclusive-of.ts';

export type StoredToken = ReturnType<typeof createStoredToken>;

/** The token in a storage. Clients change it one after the other. Each changes only its own token. */
export function createStoredToken(storage: TokenStorage, key: string, exclusive: Exclusive) {
  const read = async () => storage.get(key);
  return {
    /** The token, also while another client is about to change it. */
    peek: read,
    /** The token after all changes that have begun. */
    read: () => exclusive(key, read),
    /** Writes the token, unless it is not wanted any more when it is its turn. */
    write: (token: string, isWanted: () => boolean): Promise<void> =>
      exclusive(key, async () => {
        if (isWanted()) await storage.set(key, token);
      }),
    /** Removes the token, unless the storage has another one by now. */
    remove: (token: string): Promise<void> =>
      exclusive(key, async () => {
        if ((await read()) === token) await storage.remove(key);
      }),
  };
}
