import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adminCredentials } from './support/controller.ts';
import { runExecutable } from './support/executable.ts';
import type { Wire } from './support/request.ts';
import { createWire } from './support/request.ts';

const hostileClient = fileURLToPath(new URL('support/hostile-client.ts', import.meta.url));

interface Target extends AsyncDisposable {
  readonly url: string;
  readonly caFile: string;
  readonly wire: Wire;
  readonly token: string;
  /** Megabytes of memory that the process of the controller holds. */
  memory(): number;
}

/** A controller in a process of its own, so that its memory and its time are its own. */
async function startTarget(): Promise<Target> {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-bounds-'));
  const {
    process: child,
    ready,
    exited,
  } = runExecutable([], {
    EDGE_DATA_DIR: dataDir,
    EDGE_ADMIN_PASSWORD: adminCredentials.password,
    EDGE_SIGN_IN_RATE: '0',
    EDGE_LOG_LEVEL: 'error',
  });
  // Also when the test takes too long.
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await ready;
  const caFile = join(dataDir, 'pki', 'ca.pem');
  const wire = createWire(url, caFile);
  const signedIn = await wire('POST', '/edge/management/v1/authenticate?method=password', { body: adminCredentials });
  return {
    ...{ url, caFile, wire, token: signedIn.body.data.token },
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function attack(kind: string, { url, caFile }: Target, token = ''): ChildProcess {
  const args = ['--no-warnings', hostileClient, kind, url, caFile, token];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Milliseconds that 99 % of many session checks take at most, four at a time. */
async function p99({ wire, token }: Target): Promise<number> {
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

describe('a request without a live session buys no work', () => {
  it.each([
    ['a megabyte of members from anyone, ten times a second', 'members', false],
    ['a megabyte of members under a live session, ten times a second', 'members', true],
    ['large bodies under tokens that nobody has, fifty times a second', 'garbage-token', false],
  ])('%s: session checks stay within three times their idle p99', async (_name, kind, isSignedIn) => {
    await using target = await startTarget();
    await p99(target);
    const rounds: { idle: number; attacked: number }[] = [];
    // The machine may be busy with something else during one round.
    while (rounds.length < 4 && !rounds.some(({ idle, attacked }) => attacked <= 3 * idle)) {
      const idle = await p99(target);
      const attacker = attack(kind, target, isSignedIn ? target.token : '');
      await sleep(500);
      rounds.push({ idle, attacked: await p99(target) });
      attacker.kill('SIGKILL');
    }
    expect(rounds.at(-1)?.attacked, JSON.stringify(rounds)).toBeLessThanOrEqual(3 * (rounds.at(-1)?.idle ?? 0));
  });

  it('300 large bodies under tokens that nobody has are not kept in memory', async () => {
    await using target = await startTarget();
    await p99(target);
    const before = target.memory();
    const attacker = attack('garbage-token-at-once', target);
    const seen: number[] = [];
    let isSent = false;
    attacker.stdout?.once('data', () => {
      isSent = true;
    });
    for (let after = 0; after < 5; after += isSent ? 1 : 0) {
      await sleep(100);
      seen.push(target.memory() - before);
    }
    attacker.kill('SIGKILL');
    // 300 TLS connections alone hold some 100 MB; with their bodies it would be 280.
    expect(Math.max(...seen), String(seen.map(Math.round))).toBeLessThan(180);
    expect((await target.wire('GET', '/edge/client/v1/version')).status).toBe(200);
  });
});

describe('long lists', () => {
  it.each([
    ['545 identities with 64 KiB of appData', 545, 200, () => ({ appData: { long: 'x'.repeat(65_000) } })],
    [
      '200 identities with 200 KB of role attributes',
      200,
      250,
      () => ({ roleAttributes: Array.from({ length: 500 }, (_, at) => `${at}-`.padEnd(400, 'x')) }),
    ],
  ])(
    'four at once of %s do not gather them in memory',
    { timeout: 120_000 },
    async (_name, count, megabytes, members) => {
      await using target = await startTarget();
      const { wire, token } = target;
      const identities = '/edge/management/v1/identities';
      const body = { type: 'User', isAdmin: false, ...members() };
      const create = async (at: number) => {
        const created = await wire('POST', identities, { token, body: { ...body, name: `fat ${at}` } });
        expect(created.status, created.text).toBe(201);
      };
      for (let at = 0; at < count; at += 5) await Promise.all([0, 1, 2, 3, 4].map((more) => create(at + more)));
      await p99(target);
      const before = target.memory();
      const seen: number[] = [];
      const timer = setInterval(() => seen.push(target.memory() - before), 20);
      const lists = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const { status, bytes, body } = await wire('GET', `${identities}?limit=-1`, { token });
          const names: string[] = body.data.map(({ name }: { name: string }) => name);
          return [status, bytes.length > count * 60_000, names.length, new Set(names).size];
        }),
      );
      clearInterval(timer);
      expect(lists).toEqual(Array.from({ length: 4 }, () => [200, true, count + 1, count + 1]));
      expect(Math.max(...seen), String(seen.map(Math.round))).toBeLessThan(megabytes);
    },
  );
});
