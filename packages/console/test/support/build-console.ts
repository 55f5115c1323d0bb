import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'vite';

const root = join(import.meta.dirname, '../..');
const page = join(root, 'dist/index.html');
const lock = join(root, 'dist.lock');
/** Milliseconds after which a lock is left over from a run that was killed. */
const lockTime = 60_000;
const sources = [root, join(root, '../sdk'), join(root, '../operation-tables')].map((folder) => join(folder, 'src'));

/** Builds the console when its sources are newer than what was built. One process builds; the others wait for it. */
export async function buildConsole(): Promise<void> {
  while (!isFresh()) {
    if (!tryLock()) {
      await sleep(100);
      continue;
    }
    try {
      await build({ root, logLevel: 'error' });
    } finally {
      rmdirSync(lock);
    }
  }
}

function isFresh(): boolean {
  if (existsSync(lock) || !existsSync(page)) return false;
  const files = [
    join(root, 'index.html'),
    join(root, 'vite.config.ts'),
    ...sources.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    ),
  ];
  const built = statSync(page).mtimeMs;
  return files.every((file) => statSync(file).mtimeMs < built);
}

function tryLock(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const { mtimeMs } = statSync(lock, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > lockTime) rmdirSync(lock);
    return false;
  }
}
