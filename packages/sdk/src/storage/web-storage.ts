import type { TokenStorage } from '../api/token-storage.ts';
import type { WebStorageLike } from './area-storage.ts';
import { areaStorage } from './area-storage.ts';
import { shareInBrowser } from './share-in-browser.ts';

/**
 * Storage in the `localStorage` (`'local'`: all tabs of the origin share one session) or the `sessionStorage`
 * (`'session'`: one tab) of a browser. Every script of the same origin can read it. On a server, and in a
 * browser that blocks it or has no room left, it stores nothing: the session is in the memory of the page only.
 *
 * With `'local'` a sign-in, a sign-out and an extension in one tab reach the others at once.
 *
 * @example createEdgeClient(url, { storage: webStorage('local') })
 */
export function webStorage(area: 'local' | 'session' | WebStorageLike): TokenStorage {
  const open = () => (typeof area === 'string' ? areaOf(area) : area);
  return { ...areaStorage(open), ...(area === 'local' && shareInBrowser(open)) };
}

interface Page {
  readonly document?: unknown;
  readonly localStorage?: WebStorageLike;
  readonly sessionStorage?: WebStorageLike;
}

function areaOf(name: 'local' | 'session'): WebStorageLike | undefined {
  const page = globalThis as unknown as Page;
  // Newer versions of Node have a `localStorage`, and all requests of a server would share it.
  if (page.document === undefined) return undefined;
  try {
    return name === 'local' ? page.localStorage : page.sessionStorage;
  } catch {
    // A browser that blocks all storage throws even at this look.
    return undefined;
  }
}
