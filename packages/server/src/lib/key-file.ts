import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Reads a 32-byte key from a file. Creates the file with mode 0600 if it does not exist. Two processes that start at
 * the same time get the same key.
 */
export function readOrMakeKey(path: string): Buffer {
  return readKey(path) ?? makeKey(path);
}

function readKey(path: string): Buffer | null {
  try {
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
    if (key.length !== 32) throw new Error(`${path} does not contain 32 bytes in base64`);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function makeKey(path: string): Buffer {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(temporary, 'wx', 0o600);
  writeSync(file, `${randomBytes(32).toString('base64')}\n`);
  fsyncSync(file);
  closeSync(file);
  try {
    // `link` is atomic and never replaces an existing key.
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary);
  }
  const key = readKey(path);
  if (!key) throw new Error(`${path} was removed while it was created`);
  return key;
}
