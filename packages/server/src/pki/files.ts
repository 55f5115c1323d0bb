import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** File name → content. Only the owner can read files whose name ends in `.key`. */
export type Files = Readonly<Record<string, string>>;

/** Milliseconds. An older unfinished directory was left by a process that was killed. */
const abandonedAfter = 600_000;

/**
 * Creates a directory with all these files, or nothing: it writes the files to a temporary directory and renames it.
 * Returns false when another process created the directory first. The files of that process then stay.
 */
export async function createDirectory(directory: string, files: Files): Promise<boolean> {
  const parent = dirname(directory);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const draft = join(parent, `.${basename(directory)}.new-${randomBytes(6).toString('hex')}`);
  await mkdir(draft, { mode: 0o700 });
  try {
    for (const [name, content] of Object.entries(files)) await writeSynced(join(draft, name), content);
    await sync(draft);
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
  await sync(parent);
  return true;
}

/** Replaces one file. A reader sees either the old or the new content, also after a power failure. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.new-${randomBytes(6).toString('hex')}`;
  await writeSynced(draft, content);
  await rename(draft, path);
  await sync(dirname(path));
}

/** Creates a file. When another process was faster, its file stays. Returns what is in the file then. */
export async function createFile(path: string, content: string): Promise<string> {
  const draft = `${path}.new-${randomBytes(6).toString('hex')}`;
  await writeSynced(draft, content);
  try {
    // `link` never replaces a file.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
  await sync(dirname(path));
  return readFile(path, 'utf8');
}

/** Removes unfinished directories of killed processes beside `directory`. */
export async function removeAbandoned(directory: string, now: number): Promise<void> {
  const parent = dirname(directory);
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((text) => text.startsWith(`.${basename(directory)}.new-`))) {
    const draft = join(parent, name);
    const info = await stat(draft).catch(() => null);
    if (info && now - info.mtimeMs > abandonedAfter) await rm(draft, { recursive: true, force: true });
  }
}

async function writeSynced(path: string, content: string): Promise<void> {
  await using file = await open(path, 'wx', path.includes('.key') ? 0o600 : 0o644);
  await file.writeFile(content);
  await file.sync();
}

async function sync(directory: string): Promise<void> {
  await using handle = await open(directory, 'r');
  await handle.sync();
}
