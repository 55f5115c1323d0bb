import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { StartError } from '../../core/start/start-error.ts';
import type { SortedLines } from './sorted-lines.ts';
import { findLine, lineAfter } from './sorted-lines.ts';

/** Characters of a SHA-1 in hexadecimal. What follows in a line does not count. */
const hashLength = 40;
/** Lines that are checked before the file is used. */
const samples = 100;

/**
 * Whether the SHA-1 of a password is in a file. Each line of it begins with a hash in hexadecimal, and the lines are sorted.
 * The file may be larger than the memory: a search reads 1 KiB at about 35 places. It may be replaced at any time.
 */
export async function isInFile(path: string, password: string): Promise<boolean> {
  const wanted = createHash('sha1').update(password.normalize('NFC')).digest('hex');
  return await withLines(path, async (lines) => {
    const line = await findLine(lines, (found) => compareText(hashOf(found), wanted));
    return line !== null && hashOf(line) === wanted;
  });
}

/** @throws StartError when the file cannot be read, has other lines, or is not sorted as far as samples show */
export async function checkBreachedPasswords(path: string): Promise<void> {
  const problem = await withLines(path, firstProblem).catch((error: NodeJS.ErrnoException) => {
    return `it cannot be read (${error.code ?? error.message})`;
  });
  if (problem === null) return;
  const message = `The file of breached passwords ${path} cannot be used: ${problem}`;
  const fix = 'give it lines that begin with a SHA-1 in hexadecimal, sorted, or remove EDGE_BREACHED_PASSWORDS';
  throw new StartError([{ message, setting: 'breachedPasswords', fix, kind: 'wrong' }]);
}

async function firstProblem(lines: SortedLines): Promise<string | null> {
  let last = '';
  for (let at = 0; at < samples; at += 1) {
    const line = await lineAfter(lines, Math.floor((lines.size / samples) * at), 0);
    if (line === null) break;
    const hash = hashOf(line.bytes);
    if (!/^[0-9a-f]{40}$/.test(hash)) return 'a line does not begin with a SHA-1';
    if (hash < last) return 'its lines are not sorted';
    last = hash;
  }
  return last === '' ? 'it has no line' : null;
}

async function withLines<T>(path: string, use: (lines: SortedLines) => Promise<T>): Promise<T> {
  await using file = await open(path);
  const { size } = await file.stat();
  return await use({ size, read: (start, end) => readPart(file, start, Math.min(end, size)) });
}

async function readPart(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const part = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(part, 0, part.length, start);
  return part.subarray(0, bytesRead);
}

function hashOf(line: Buffer): string {
  return line.toString('latin1', 0, hashLength).toLowerCase();
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
