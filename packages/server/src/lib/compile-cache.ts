import type { Stats } from 'node:fs';
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';

/**
 * Keeps compiled code between starts, in `compile-cache` of the data directory, for modules that are loaded from now on.
 * Without it a start takes longer and nothing else changes, so nothing here fails.
 */
export function useCompileCache(dataDir: string): void {
  // Who writes into the cache decides what this process runs. Node's own place is below the temporary directory, where
  // another user can be first to make it; the data directory is as private as the keys in it.
  const directory = join(resolve(dataDir), 'compile-cache');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (isOnlyOurs(statSync(dataDir)) && isOnlyOurs(lstatSync(directory))) enableCompileCache(directory);
  } catch {
    // A data directory that cannot be written is told about by whoever needs it.
  }
}

/** Writes what was compiled so far, so that a process that is killed later leaves it too. */
export const saveCompileCache = flushCompileCache;

function isOnlyOurs(info: Stats): boolean {
  const user = process.geteuid?.();
  // Windows has no modes: a directory inherits who may write from the one above, here the user's own.
  if (user === undefined) return info.isDirectory();
  return info.isDirectory() && info.uid === user && (info.mode & 0o022) === 0;
}
