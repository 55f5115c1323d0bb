import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Broken, Directories } from './installation.ts';

/** Another file in place of a good one. */
export function replaceFile({ dataDir, good }: Directories, name: string, content: string | null): Broken {
  const path = join(dataDir, name);
  if (content === null) rmSync(path);
  else writeFileSync(path, content);
  return { mend: () => copyFileSync(join(good, name), path) };
}
