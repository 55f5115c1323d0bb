import type { TokenStorage } from '../api/token-storage.ts';

/**
 * The methods of `localStorage` and `sessionStorage` that the SDK uses.
 *
 * @example
 * const area: WebStorageLike = window.sessionStorage;
 * const edge = createEdgeClient(url, { storage: webStorage(area) });
 */
export interface WebStorageLike {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Storage in an area of a browser. `open` looks for it when a value is needed: a server has none. */
export function areaStorage(open: () => WebStorageLike | undefined): TokenStorage {
  return {
    get: (key) => open()?.getItem(key) ?? null,
    set(key, value) {
      const area = open();
      if (area && !isKept(area, key, value)) area.removeItem(key);
    },
    remove: (key) => open()?.removeItem(key),
  };
}

/** Stores the value. False in an area that is full. */
export function isKept(area: WebStorageLike, key: string, value: string): boolean {
  try {
    area.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}
