import type { ChildProcess } from 'node:child_process';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Child {
  /** What it said when it was ready. */
  readonly ready: unknown;
  /** Sends a message and resolves to the next message of the child; rejects when the child ends instead. */
  ask(message: unknown): Promise<unknown>;
}

export interface Processes extends AsyncDisposable {
  /** A directory of their own, removed with them. */
  readonly directory: string;
  /** Runs a TypeScript file from source as a process of its own; resolves with its first message. */
  start(file: string, env?: Readonly<Record<string, string>>): Promise<Child>;
  /** Starts an empty Redis; resolves to its URL. */
  startRedis(): Promise<string>;
}

// The shell reads until this process closes the pipe or dies, and then takes Redis with it.
const redisUntilInputEnds = 'redis-server "$@" 2>&1 & exec >/dev/null; read -r _; kill -9 $!; wait';

/** What is started here ends with the disposal, and at the latest with this process. */
export function createProcesses(): Processes {
  const directory = mkdtempSync(join(tmpdir(), 'edge-bench-'));
  const stops: (() => Promise<unknown>)[] = [];
  const stopBy = (child: ChildProcess, stop: () => void) => {
    const ended = once(child, 'exit');
    stops.push(() => {
      stop();
      return ended;
    });
  };
  return {
    directory,
    async start(file, env = {}) {
      const preload = `--import=${new URL('exit-with-parent.ts', import.meta.url)}`;
      const execArgv = ['--conditions=source', '--no-warnings', preload];
      const child = fork(file, { env: { ...process.env, ...env }, execArgv });
      stopBy(child, () => child.kill('SIGKILL'));
      const ready = await nextMessage(child, file);
      return {
        ready,
        ask(message) {
          child.send(message as object);
          return nextMessage(child, file);
        },
      };
    },
    async startRedis() {
      const port = await freePort();
      const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', ''];
      const child = spawn('sh', ['-c', redisUntilInputEnds, 'sh', ...settings], {
        stdio: ['pipe', 'pipe', 'inherit'],
        cwd: directory,
      });
      stopBy(child, () => child.stdin.end());
      let said = '';
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.includes('Ready to accept connections')) return `redis://127.0.0.1:${port}`;
        said += `${line}\n`;
      }
      throw new Error(`redis-server did not start\n${said}`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stops.map((stop) => stop()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function nextMessage(child: ChildProcess, file: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${file} ended before it sent a message`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}
