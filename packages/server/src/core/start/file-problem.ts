import { accessSync, constants, mkdirSync } from 'node:fs';
import type { StartProblem } from './start-error.ts';
import { StartError } from './start-error.ts';

const access = 'give the user that runs the controller access to it';
const space = 'free space on the disk of the data directory';
const place = 'remove what is in its place, or use another data directory';

/** The code of a file error → what it means, and what helps. */
const meanings: Readonly<Record<string, readonly [string, string]>> = {
  EACCES: ['this user may not read and write it', access],
  EPERM: ['this user may not read and write it', access],
  EROFS: ['its file system is read-only', 'mount it for writing, or use another data directory'],
  ENOSPC: ['the disk is full', space],
  EDQUOT: ['the disk quota is used up', space],
  EFBIG: ['a file may not grow', 'raise the limit of the file size (ulimit -f)'],
  EEXIST: ['it is not a directory', place],
  ENOTDIR: ['a part of its path is not a directory', place],
  EISDIR: ['it is a directory, not a file', place],
  ENOENT: ['a part of its path does not exist', place],
  EIO: ['the disk reports an error', 'check the disk'],
};

/** The problem behind an error of the file system, or `null` for every other error. */
export function fileProblem(path: string, error: unknown): StartProblem | null {
  const { code = '', path: where } = error as NodeJS.ErrnoException;
  const [reason, fix] = meanings[code] ?? [];
  if (reason === undefined || fix === undefined) return null;
  return { message: `${where ?? path} cannot be used: ${reason} (${code})`, setting: 'dataDir', fix, kind: 'unusable' };
}

/** @throws StartError for an error of the file system */
export function atFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(path, error);
  }
}

/** The `StartError` for an error of the file system. Other errors stay as they are. */
export function fileError(path: string, error: unknown): unknown {
  const problem = fileProblem(path, error);
  return problem ? new StartError([problem], { cause: error }) : error;
}

/** Creates a directory that only its owner can use, if it does not exist, and checks that it can be used. */
export function openDirectory(path: string): void {
  atFile(path, () => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  });
}
