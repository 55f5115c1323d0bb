import type { TokenStorage } from '../api/token-storage.ts';
import { webStorage } from './web-storage.ts';

interface Page {
  readonly document?: { cookie: string };
  readonly location?: { readonly protocol: string };
}

/**
 * Storage for a page whose server keeps the token: see `createCookieSessions` of `@edge-controller/sdk/backend`. The page reads the
 * handle of the session in a cookie that the server sets. The handle is no secret, and works only with the cookie that no script
 * sees. All tabs of the origin share the session. On a server it stores nothing.
 *
 * `cookieName` is the one of the server.
 *
 * @example const edge = createEdgeClient(location.origin, { storage: cookieStorage() });
 */
export function cookieStorage({ cookieName = 'edge-session' }: { readonly cookieName?: string } = {}): TokenStorage {
  const local = webStorage('local');
  const page = globalThis as unknown as Page;
  const isSecure = () => page.location?.protocol === 'https:';
  const name = () => `${isSecure() ? '__Host-' : ''}${cookieName}-handle`;

  function handle(): string | null {
    const pairs = (page.document?.cookie ?? '').split(';').map((pair) => pair.trim());
    const found = pairs.find((pair) => pair.startsWith(`${name()}=`));
    return found?.slice(name().length + 1) || null;
  }

  return {
    ...local,
    get: (key) => (isSession(key) ? handle() : local.get(key)),
    // The server has set the cookie.
    set: (key, value) => (isSession(key) ? undefined : local.set(key, value)),
    remove(key) {
      if (!isSession(key)) return local.remove(key);
      // The server takes a request without a handle for signed out. So a sign-out works without a network, too.
      const attributes = `Path=/; SameSite=Lax; Max-Age=0${isSecure() ? '; Secure' : ''}`;
      if (page.document) page.document.cookie = `${name()}=; ${attributes}`;
    },
  };
}

/** The key of a session has two words. What else a client stores has more. */
const isSession = (key: string): boolean => key.split(' ').length === 2;
