import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface Executable {
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the URL of the ready line; rejects when the process ends before. */
  readonly ready: Promise<string>;
  readonly exited: Promise<number | null>;
}

/**
 * Runs the executable from source, as a process of its own, with nothing of the caller's settings. It takes compiled code
 * from the cache of the run and not from the data directory, unless `env` has another `NODE_COMPILE_CACHE`; `undefined` is
 * none.
 */
export function runExecutable(
  args: readonly string[],
  env: Record<string, string | undefined>,
  program = main,
): Executable {
  const child = spawn(process.execPath, ['--conditions=source', '--no-warnings', program, ...args], {
    env: {
      ...{ PATH: process.env.PATH, NODE_COMPILE_CACHE: inject('compileCache'), EDGE_LOG_LEVEL: 'warn', EDGE_PORT: '0' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      const [, url] = /listening on (https:\S+)/.exec(stdout) ?? [];
      if (url) resolve(url);
    });
    void exited.then((code) => reject(new Error(`ended with ${code} before it was ready: ${stderr}`)));
  });
  ready.catch(() => undefined);
  return { process: child, stdout: () => stdout, stderr: () => stderr, ready, exited };
}
