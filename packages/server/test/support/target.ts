import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { adminCredentials } from './controller.ts';
import { runExecutable } from './executable.ts';
import type { Wire } from './request.ts';
import { createWire } from './request.ts';

export interface Target extends AsyncDisposable {
  readonly url: string;
  readonly caFile: string;
  readonly wire: Wire;
  readonly token: string;
  /** Megabytes of memory that the process of the controller holds. */
  memory(): number;
  /** Milliseconds of CPU time that it has taken. */
  cpuTime(): number;
}

const ticksPerSecond = 100;

/**
 * A controller in a process of its own, so that its memory and its time are its own.
 *
 * @param onOver hears how to kill it, also when its test takes too long
 */
export async function startTarget(
  settings: Record<string, string> = {},
  onOver: (kill: () => void) => void = onTestFinished,
): Promise<Target> {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-target-'));
  const {
    process: child,
    ready,
    exited,
  } = runExecutable([], {
    EDGE_DATA_DIR: dataDir,
    EDGE_ADMIN_PASSWORD: adminCredentials.password,
    EDGE_SIGN_IN_RATE: '0',
    EDGE_LOG_LEVEL: 'error',
    ...settings,
  });
  onOver(() => void child.kill('SIGKILL'));
  const url = await ready;
  const caFile = join(dataDir, 'pki', 'ca.pem');
  const wire = createWire(url, caFile);
  const signedIn = await wire('POST', '/edge/management/v1/authenticate?method=password', { body: adminCredentials });
  const proc = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
  return {
    ...{ url, caFile, wire, token: signedIn.body.data.token },
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(proc('status'))?.[1]) / 1_024,
    cpuTime() {
      const [, , , , , , , , , , , , , user, system] = proc('stat').split(' ');
      return ((Number(user) + Number(system)) / ticksPerSecond) * 1_000;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Milliseconds that 99 % of many session checks take at most, four at a time. */
export async function p99({ wire, token }: Pick<Target, 'wire' | 'token'>): Promise<number> {
  const times: number[] = [];
  const check = async () => {
    while (times.length < 2_000) {
      const startedAt = performance.now();
      const { status } = await wire('GET', '/edge/client/v1/current-api-session', { token });
      if (status !== 200) throw new Error(`a session check ended with ${status}`);
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all([check(), check(), check(), check()]);
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

/**
 * Compares the session checks of an idle controller with those under an attack, until they are within three times, four times at most:
 * the machine may be busy with something else during one of them. `attack` begins it and returns how to end it.
 */
export async function attackedAndIdle(
  target: Target,
  attack: () => Promise<() => void>,
): Promise<readonly { readonly idle: number; readonly attacked: number }[]> {
  const rounds: { idle: number; attacked: number }[] = [];
  while (rounds.length < 4 && !rounds.some(({ idle, attacked }) => attacked <= 3 * idle)) {
    const idle = await p99(target);
    const end = await attack();
    rounds.push({ idle, attacked: await p99(target) });
    end();
  }
  return rounds;
}
