import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '../log/log.ts';
import { atFile } from '../start/file-problem.ts';
import { StartError } from '../start/start-error.ts';

/**
 * Reads a 32-byte key from a file. Returns `null` when the file does not exist.
 *
 * @throws StartError when the file cannot be read or has no key
 */
export function readKey(path: string): Buffer | null {
  const text = atFile(path, () => readText(path));
  if (text === null) return null;
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return key;
  const message = `${path} is damaged: it does not contain 32 bytes in base64`;
  const fix = 'restore the file from a backup, or set EDGE_SEAL_KEY to the key that it had';
  throw new StartError([{ message, setting: 'dataDir', fix, kind: 'wrong' }]);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Creates a key file with mode 0600. Two processes that create it at the same time get the same key. */
export function makeKey(path: string): Buffer {
  atFile(path, () => writeKey(path));
  const key = readKey(path);
  if (!key) throw new Error(`${path} was removed while it was created`);
  return key;
}

function writeKey(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, `${randomBytes(32).toString('base64')}\n`);
    fsyncSync(file);
    // `link` is atomic and never replaces an existing key.
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    rmSync(temporary);
  }
}

/** Logs a warning that names the existing files which users other than the owner can read or write. */
export function warnOfExposedFiles(paths: readonly string[], log: Logger): void {
  // Windows has no modes.
  if (process.platform === 'win32') return;
  const files = paths.filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
  if (files.length === 0) return;
  log.warn({ files, fix: `chmod 600 ${files.join(' ')}` }, 'key files can be read or written by other users');
}
