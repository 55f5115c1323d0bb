import { readdir, readFile, readlink } from 'node:fs/promises';
import { posix } from 'node:path';

/** A process as `systeminformation` shows it. */
interface ListedProcess {
  readonly command: string;
  /** `null`: Windows does not tell it. */
  readonly path: string | null;
}

/** The paths of all programs that run. */
export async function runningPrograms(): Promise<ReadonlySet<string>> {
  if (process.platform === 'linux') return linuxPrograms();
  const { list } = await (await systemInformation()).processes();
  return programsOf(list, process.platform);
}

/** The paths in a list. Windows has the whole path; macOS has a folder, and the program in it. */
export function programsOf(list: readonly ListedProcess[], platform: NodeJS.Platform): Set<string> {
  if (platform === 'win32') return new Set(list.flatMap(({ path }) => path ?? []));
  return new Set(list.map(({ path, command }) => posix.join(path ?? '', command)));
}

async function systemInformation(): Promise<typeof import('systeminformation')> {
  // A bundler must not look for a package that few applications have.
  const name = 'systeminformation';
  try {
    return await import(name);
  } catch (cause) {
    throw new Error(`install the package ${name}: posture queries about processes need it on this system`, { cause });
  }
}

async function linuxPrograms(): Promise<Set<string>> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return new Set((await Promise.all(ids.map(programOf))).filter((path) => path !== undefined));
}

/** The program of a process. `undefined`: it has ended, or it is of the kernel. */
async function programOf(id: string): Promise<string | undefined> {
  try {
    return await readlink(`/proc/${id}/exe`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A process of another user shows only what it was started as.
    return code === 'EACCES' ? startedAs(id) : undefined;
  }
}

async function startedAs(id: string): Promise<string | undefined> {
  const line = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
  return line.split('\0', 1)[0];
}
