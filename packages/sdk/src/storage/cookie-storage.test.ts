import { afterEach, expect, test, vi } from 'vitest';
import { cookieStorage } from './cookie-storage.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const key = 'edge-session https://app.example';

function openPage(protocol: string, cookie: string) {
  const written: string[] = [];
  const document = {
    get cookie() {
      return cookie;
    },
    set cookie(text) {
      written.push(text);
    },
  };
  vi.stubGlobal('document', document);
  vi.stubGlobal('location', { protocol });
  return written;
}

test('reads the handle that the server has set, and forgets it', () => {
  const written = openPage('https:', 'a=b; edge-session-handle=no; __Host-edge-session-handle=cookie.one');
  const storage = cookieStorage();
  expect(storage.get(key)).toBe('cookie.one');
  storage.set(key, 'cookie.two');
  expect(written).toEqual([]);
  storage.remove(key);
  expect(written).toEqual(['__Host-edge-session-handle=; Path=/; SameSite=Lax; Max-Age=0; Secure']);
});

test('reads the cookie of an application on this machine, by its name', () => {
  const written = openPage('http:', 'edge-session-handle=no; other-handle=cookie.one');
  const storage = cookieStorage({ cookieName: 'other' });
  expect(storage.get(key)).toBe('cookie.one');
  storage.remove(key);
  expect(written).toEqual(['other-handle=; Path=/; SameSite=Lax; Max-Age=0']);
  expect(cookieStorage({ cookieName: 'missing' }).get(key)).toBeNull();
});

test('stores nothing on a server', () => {
  const storage = cookieStorage();
  storage.set(key, 'cookie.one');
  storage.remove(key);
  expect([storage.get(key), storage.get(`${key} keep-alive`)]).toEqual([null, null]);
});
