import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileProblem } from '../../core/start/file-problem.ts';
import { StartError } from '../../core/start/start-error.ts';

/** The `StartError` for an error of the file system at a path that no setting has. Other errors stay as they are. */
export function pathError(path: string, error: unknown): unknown {
  const problem = error instanceof StartError ? null : fileProblem(path, error);
  return problem ? new StartError([{ ...problem, setting: null }], { cause: error }) : error;
}

/** The size and the SHA-256 (hex) of a file. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

export async function digestFile(path: string): Promise<FileDigest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Copies a file into a new one, down to the disk. By default only its owner can read it. */
export async function copyFile(from: string, to: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await using file = await open(to, 'wx', mode);
  await file.writeFile(createReadStream(from));
  await file.sync();
}

/** Writes a text into a new file that only its owner can read, down to the disk. */
export async function writePrivately(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

/** Writes a file or directory to the disk. */
export async function sync(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

/**
 * Makes a directory or a file of its own under another name, and renames it when `work` has written all of it: what has the
 * name is complete. Makes the directories above it, too. When it fails, none of them is left.
 *
 * @throws StartError when something that is not an empty directory has the name, or for an error of the file system
 */
export async function createWhole<T>(path: string, work: (draft: string) => Promise<T>): Promise<T> {
  const parent = dirname(path);
  const draft = join(parent, `.${basename(path)}.partial-${process.pid}`);
  let made: string | undefined;
  try {
    await refuseExisting(path);
    made = await mkdir(parent, { recursive: true, mode: 0o700 });
    // A process with the same number may have been killed.
    await rm(draft, { recursive: true, force: true });
    const result = await work(draft);
    await sync(draft);
    await rename(draft, path);
    await sync(parent);
    return result;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (made !== undefined) await removeEmpty(parent, made);
    throw pathError(path, error);
  }
}

/** Removes a directory and its parents, up to `top`, as long as they are empty. */
async function removeEmpty(directory: string, top: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch {
    return;
  }
  if (directory !== top) await removeEmpty(dirname(directory), top);
}

async function refuseExisting(path: string): Promise<void> {
  const found = await readdir(path).catch((error: NodeJS.ErrnoException) => error.code ?? '');
  if (found === 'ENOENT' || found.length === 0) return;
  const message = `${path} exists already`;
  throw new StartError([{ message, setting: null, fix: 'name a path that does not exist yet', kind: 'wrong' }]);
}
