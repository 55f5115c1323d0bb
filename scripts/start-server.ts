import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Done } from './bootstrap.mjs';
import { env, node, root } from './bootstrap.mjs';

const START_LIMIT = 30_000;
const STOP_LIMIT = 20_000;

interface Started {
  readonly url: string;
  /** Asks it to stop. Resolves when it has ended. */
  stop(): Promise<Done>;
}

interface StartOptions {
  /** Environment variables. */
  readonly settings: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts the executable of a server at a free port. Rejects with its output when it does not listen in time. */
export function startServer(executable: string, { settings, cwd = root }: StartOptions): Promise<Started> {
  const child = spawn(node, [executable, 'run'], {
    cwd,
    env: { ...env, EDGE_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code ?? 1, signal }));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`not ready within ${START_LIMIT / 1000} s\n${output}`));
    }, START_LIMIT);
    const read = (chunk: Buffer) => {
      output += chunk;
      const [, url] = /listening on (https:\/\/[^\s"]+)/.exec(output) ?? [];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve({ url, stop: () => stopServer(child, ended, () => output) });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', (chunk) => (output += chunk));
    ended.then(({ code }) => {
      clearTimeout(timer);
      reject(new Error(`exited with ${code} before it was ready\n${output}`));
    });
  });
}

interface End {
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
}

async function stopServer(child: ChildProcess, ended: Promise<End>, output: () => string): Promise<Done> {
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT);
  child.kill('SIGTERM');
  const { code, signal } = await ended;
  clearTimeout(timer);
  return { code, output: `${output()}\n${signal ? `ended by ${signal}` : `exit code ${code}`}` };
}
