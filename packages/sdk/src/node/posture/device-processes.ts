import { realpath } from 'node:fs/promises';
import { win32 } from 'node:path';
import type { DeviceProcess } from '../../api/posture-provider.ts';
import { FileHashes } from './file-hashes.ts';
import { runningPrograms } from './running-programs.ts';

/** The processes of this device, by the path of their program. */
export class DeviceProcesses {
  readonly #hashes = new FileHashes();
  #programs: Promise<ReadonlySet<string>> | undefined;

  async check(path: string): Promise<DeviceProcess> {
    const programs = await this.#list();
    const real = await realpath(path).catch(() => path);
    const isRunning = programs.has(keyOf(path)) || programs.has(keyOf(real));
    // A file that cannot be read has no hash.
    const hash = isRunning ? await this.#hashes.of(real).catch(() => undefined) : undefined;
    return { isRunning, hash };
  }

  /** Once for all paths that are asked for at the same time. */
  #list(): Promise<ReadonlySet<string>> {
    this.#programs ??= runningPrograms()
      .then((paths) => new Set([...paths].map(keyOf)))
      .finally(() => {
        this.#programs = undefined;
      });
    return this.#programs;
  }
}

/** Windows does not tell upper from lower case, nor `/` from `\`. */
function keyOf(path: string): string {
  return process.platform === 'win32' ? win32.normalize(path).toLowerCase() : path;
}
