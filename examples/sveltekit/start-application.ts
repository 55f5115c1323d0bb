import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

interface ApplicationOptions {
  readonly cwd: string;
  /** A program and its arguments for Node. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly address: string;
}

/** Starts the built application and waits until it responds. `stop` ends it. */
export async function startApplication({
  cwd,
  args,
  env,
  address,
}: ApplicationOptions): Promise<{ stop: () => Promise<void> }> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  async function stop(): Promise<void> {
    const ended = once(child, 'exit');
    if (child.kill()) await ended;
  }
  for (let tries = 0; tries < 300 && child.exitCode === null; tries += 1) {
    const isReady = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
    // Another program may have the port.
    if (isReady && child.exitCode === null) return { stop };
    await sleep(100);
  }
  child.kill();
  throw new Error(`the application does not respond at ${address}:\n${output}`);
}
