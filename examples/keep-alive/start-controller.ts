import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface ControllerOptions {
  /** Origin of the page. */
  readonly origin: string;
  /** For example `30s`. */
  readonly sessionTimeout: string;
}

const program = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));

/** A controller process with a data directory of its own. It can be stopped, and started again on the same port. */
export async function startController({ origin, sessionTimeout }: ControllerOptions) {
  const credentials = { username: 'admin', password: randomUUID() };
  const dataDir = await mkdtemp(join(tmpdir(), 'edge-example-'));
  const settings = {
    ...{
      EDGE_DATA_DIR: dataDir,
      EDGE_SESSION_TIMEOUT: sessionTimeout,
      EDGE_CORS_ORIGINS: origin,
      EDGE_LOG_LEVEL: 'warn',
    },
    ...{ EDGE_ADMIN_USERNAME: credentials.username, EDGE_ADMIN_PASSWORD: credentials.password },
  };
  let running: ChildProcess | null = null;

  async function start(port: string): Promise<string> {
    const env = { ...process.env, ...settings, EDGE_PORT: port };
    const child = spawn(process.execPath, ['--conditions=source', program, 'run'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = /listening on (https:\S+)/.exec(line) ?? [];
      if (url === undefined) continue;
      child.stdout.resume();
      return url;
    }
    throw new Error('the controller did not start');
  }

  /** As with a session store that keeps nothing. The controller must be stopped. */
  async function loseSessions(): Promise<void> {
    const files = (await readdir(dataDir)).filter((name) => name.startsWith('sessions.db'));
    if (files.length === 0) throw new Error(`no sessions in ${dataDir}`);
    await Promise.all(files.map((name) => rm(join(dataDir, name))));
  }

  async function stop(): Promise<void> {
    if (running === null || running.exitCode !== null) return;
    const exit = once(running, 'exit');
    running.kill();
    await exit;
  }

  const url = await start('0');
  return {
    url,
    caFile: join(dataDir, 'pki', 'ca.pem'),
    credentials,
    stop,
    loseSessions,
    startAgain: () => start(new URL(url).port),
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(dataDir, { recursive: true });
    },
  };
}
