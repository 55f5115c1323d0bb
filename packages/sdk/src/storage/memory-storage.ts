import type { TokenStorage } from '../api/token-storage.ts';

/**
 * Storage in memory. Two clients with the same storage object share the session.
 *
 * @example
 * const storage = memoryStorage();
 * const first = createEdgeClient(url, { storage });
 * const second = createEdgeClient(url, { storage });
 * await first.signIn.password({ username, password });
 * await second.restore(); // the same session
 */
export function memoryStorage(): TokenStorage {
  const values = new Map<string, string>();
  return {
    get: (key) => values.get(key) ?? null,
    set: (key, value) => void values.set(key, value),
    remove: (key) => void values.delete(key),
  };
}
