import type { Stats } from 'node:fs';
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';

/**
 * Keeps compiled code between starts, in `compile-cache` of the data directory. It counts for modules that are loaded
 * after this call. Without the cache a start takes longer and nothing else changes, so this never throws.
 */
export function useCompileCache(dataDir: string): void {
  // Whoever can write the cache can make this process run other code. Node's default is in the shared temporary
  // directory, where another user can create it first. The data directory is as private as the keys in it.
  const directory = join(resolve(dataDir), 'compile-cache');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (isOnlyOurs(statSync(dataDir)) && isOnlyOurs(lstatSync(directory))) enableCompileCache(directory);
  } catch {
    // The stores report a data directory that cannot be written.
  }
}

/** Writes the code that is compiled so far. A process that is killed later then leaves its cache, too. */
export const saveCompileCache = flushCompileCache;

function isOnlyOurs(info: Stats): boolean {
  const user = process.geteuid?.();
  // Windows has no modes. There a directory has the access rights of its parent, the directory of the user.
  if (user === undefined) return info.isDirectory();
  return info.isDirectory() && info.uid === user && (info.mode & 0o022) === 0;
}
