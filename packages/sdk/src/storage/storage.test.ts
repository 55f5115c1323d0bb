import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StorageChannel, TokenStorage } from '../index.ts';
import { createEdgeClient } from '../index.ts';
import { fileStorage } from '../node/file-storage.ts';
import { memoryStorage } from './memory-storage.ts';
import { webStorage } from './web-storage.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sdk-storage-'));
});
afterAll(() => rm(dir, { recursive: true }));

function webArea() {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}

test.each([
  ['memoryStorage', () => memoryStorage()],
  ['webStorage', () => webStorage(webArea())],
  ['fileStorage', () => fileStorage(join(dir, 'sub', 'session.json'))],
])('%s keeps, replaces and removes values', async (_name, make) => {
  const storage = make();
  expect(await storage.get('a')).toBeNull();
  await storage.set('a', '1');
  await Promise.all([storage.set('a', '2'), storage.set('b', '3')]);
  expect([await storage.get('a'), await storage.get('b')]).toEqual(['2', '3']);
  await storage.remove('a');
  await storage.remove('a');
  expect([await storage.get('a'), await storage.get('b')]).toEqual([null, '3']);
});

test('fileStorage writes a file for its owner only, leaves no temporary files and treats a damaged file as empty', async () => {
  const path = join(dir, 'own', 'session.json');
  await fileStorage(path).set('a', '1');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(dir, 'own'))).toEqual(['session.json']);
  expect(await fileStorage(path).get('a')).toBe('1');
  await writeFile(path, '{"a":');
  expect(await fileStorage(path).get('a')).toBeNull();
});

test('the members of a storage are called as its methods', async () => {
  class OwnStorage implements TokenStorage {
    readonly #inner = memoryStorage();
    readonly #used: string[] = [];
    get = this.#inner.get;
    set = this.#inner.set;
    remove = this.#inner.remove;
    share(): StorageChannel {
      this.#used.push('share');
      return { post: () => undefined, close: () => undefined };
    }
    exclusive<T>(_key: string, section: () => Promise<T>): Promise<T> {
      this.#used.push('exclusive');
      return section();
    }
    used = () => new Set(this.#used);
  }
  const storage = new OwnStorage();
  await using edge = createEdgeClient('https://edge.example', { storage });
  expect(await edge.restore()).toBeNull();
  expect(storage.used()).toEqual(new Set(['share', 'exclusive']));
});
