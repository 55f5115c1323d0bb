import type { Storage } from './storage.ts';

/** The methods of `localStorage` and `sessionStorage` that the SDK uses. */
interface WebStorageLike {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * Storage in `localStorage` or `sessionStorage`. Every script of the same origin can read it.
 *
 * @example createEdgeClient(url, { storage: webStorage(sessionStorage) })
 */
export function webStorage(area: WebStorageLike): Storage {
  return {
    get: (key) => area.getItem(key),
    set: (key, value) => area.setItem(key, value),
    remove: (key) => area.removeItem(key),
  };
}
