import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** File name → content. Names that end in `.key` become readable by the owner only. */
export type Files = Readonly<Record<string, string>>;

/** Milliseconds after which an unfinished directory can only be what a killed process left behind. */
const abandonedAfter = 600_000;

/**
 * Creates a directory with all these files, or nothing: it is filled under another name and then renamed. Returns
 * false when another process was first; its files then count.
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

/** Replaces one file so that a reader sees the old content or the new, also after a power cut. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.new-${randomBytes(6).toString('hex')}`;
  await writeSynced(draft, content);
  await rename(draft, path);
  await sync(dirname(path));
}

/** Removes directories that killed processes left unfinished beside `directory`. */
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
