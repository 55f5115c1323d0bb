import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Logger } from '../../core/log/log.ts';
import type { Middleware } from '../request-state.ts';
import { webConsole } from './console.ts';
import { readConsole } from './read-console.ts';

const { resolve } = createRequire(import.meta.url);

/**
 * The middleware that serves the web console. `null`: this installation has no files for it.
 *
 * @param dir directory of the files; `undefined`: those of this package
 * @throws StartError when there are files and they cannot be used
 */
export async function openConsole(dir: string | undefined, log: Logger): Promise<Middleware | null> {
  const used = dir ?? packagedConsole();
  const files = used === null ? null : await readConsole(used);
  if (files === null) log.warn({ dir: used }, 'the web console has no files: /console/ is 404');
  return files === null ? null : webConsole(files);
}

/** By a name of `imports` in package.json: the sources and the built package have the files at different places. */
function packagedConsole(): string | null {
  try {
    return dirname(resolve('#console/index.html'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
