import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Target } from '../support/target.ts';
import { attackedAndIdle, p99, startTarget } from '../support/target.ts';

const hostileClient = fileURLToPath(new URL('../support/hostile-client.ts', import.meta.url));

/** The check of any data takes as long as it may: the work doubles at each of 40 levels. */
const manyChecks = {
  type: 'object',
  $ref: '#/definitions/d0',
  definitions: {
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const next = { $ref: `#/definitions/d${at + 1}` };
        return [`d${at}`, { allOf: [next, next] }];
      }),
    ),
    d40: {},
  },
};

function attack(kind: string, { url, caFile }: Target, token = ''): ChildProcess {
  const args = ['--no-warnings', hostileClient, kind, url, caFile, token];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

it('schemas that take long hold nobody up: session checks stay within three times their idle p99', async () => {
  await using target = await startTarget();
  await p99(target);
  const { wire, token } = target;
  const post = (path: string, body: object) => wire('POST', `/edge/management/v1/${path}`, { token, body });
  const { body: type } = await post('config-types', { name: 'costly', schema: manyChecks });
  let at = 0;
  const create = () => {
    at += 1;
    return post('configs', { name: `config ${at}`, configTypeId: type.data.id, data: { at } });
  };
  const seen = new Set<number>();
  const attacks: Promise<void>[] = [];
  const rounds = await attackedAndIdle(target, async () => {
    let isOver = false;
    const attackInTurn = async () => {
      while (!isOver) {
        seen.add((await create()).status);
        await sleep(1_000);
      }
    };
    attacks.push(...Array.from({ length: 10 }, attackInTurn));
    await sleep(500);
    return () => {
      isOver = true;
    };
  });
  expect(rounds.at(-1)?.attacked, JSON.stringify(rounds)).toBeLessThanOrEqual(3 * (rounds.at(-1)?.idle ?? 0));
  await Promise.all(attacks);
  expect([...seen].sort()).toEqual([400, 429]);
});

describe('a request without a live session buys no work', () => {
  it.each([
    ['a megabyte of members from anyone, ten times a second', 'members', false],
    ['a megabyte of members under a live session, ten times a second', 'members', true],
    ['large bodies under tokens that nobody has, fifty times a second', 'garbage-token', false],
  ])('%s: session checks stay within three times their idle p99', async (_name, kind, isSignedIn) => {
    await using target = await startTarget();
    await p99(target);
    const rounds = await attackedAndIdle(target, async () => {
      const attacker = attack(kind, target, isSignedIn ? target.token : '');
      await sleep(500);
      return () => attacker.kill('SIGKILL');
    });
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
  ])('four at once of %s do not gather them in memory', async (_name, count, megabytes, members) => {
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
  });
});
