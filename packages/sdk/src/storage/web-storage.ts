import type { Storage } from './storage.ts';

/** The part of `localStorage` and `sessionStorage` that is used. */
interface WebStorageLike {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * Storage on `localStorage` or `sessionStorage`. Every script of the page's origin can read it.
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
