import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { SortedLines } from './sorted-lines.ts';
import { findLine } from './sorted-lines.ts';

const { resolve } = createRequire(import.meta.url);
const unpack = promisify(brotliDecompress);

let loading: Promise<SortedLines> | null = null;

/**
 * Whether a password is one of the most common 100,000, or of the most common 5,000 with 12 characters or more. Upper and
 * lower case make no difference. The list is read when it is first asked for, and takes 1 MiB.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  loading ??= load();
  const wanted = Buffer.from(password.normalize('NFC').toLowerCase());
  const line = await findLine(await loading, (found) => Buffer.compare(found, wanted));
  return line?.equals(wanted) ?? false;
}

async function load(): Promise<SortedLines> {
  const bytes: Buffer = await unpack(await readFile(resolve('#passwords/common-passwords.txt.br')));
  return { size: bytes.length, read: (start, end) => bytes.subarray(start, end) };
}
