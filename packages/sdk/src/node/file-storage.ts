import { readFile } from 'node:fs/promises';
import type { TokenStorage } from '../api/token-storage.ts';
import { replaceFile } from './replace-file.ts';

/**
 * Storage in one JSON file that only its owner may read (mode 0600). A write replaces the file atomically. Use it in
 * one process at a time: when two processes write at the same time, the last write wins.
 *
 * @throws the file system error. A file without a JSON object counts as empty.
 * @example
 * const edge = createEdgeClient(url, { storage: fileStorage('/var/lib/sensor/session.json') });
 * if ((await edge.restore()) === null) await edge.signIn.password({ username, password });
 */
export function fileStorage(path: string): TokenStorage {
  let last: Promise<void> = Promise.resolve();

  function change(edit: (values: Map<string, string>) => boolean): Promise<void> {
    const done = last.then(async () => {
      const values = await read(path);
      if (edit(values)) await replaceFile(path, `${JSON.stringify(Object.fromEntries(values))}\n`);
    });
    last = done.catch(() => undefined);
    return done;
  }

  return {
    get: async (key) => {
      await last;
      return (await read(path)).get(key) ?? null;
    },
    set: (key, value) => change((values) => values.set(key, value).has(key)),
    remove: (key) => change((values) => values.delete(key)),
  };
}

async function read(path: string): Promise<Map<string, string>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      return new Map();
    }
    throw error;
  }
}
