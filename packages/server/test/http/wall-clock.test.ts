import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import type { TestController } from '../support/controller.ts';
import { sharedStores, startController, storePairs } from '../support/controller.ts';
import { enrollTotp, testTime, totpPaths } from '../support/totp.ts';

const minute = 60_000;
const current = '/edge/client/v1/current-api-session';
const lists = '/edge/management/v1/api-sessions';

/** The clock of the machine, which an administrator sets. */
function settableClock() {
  let offset = 0;
  return {
    clock: () => Date.now() + offset,
    set: (milliseconds: number) => {
      offset = milliseconds;
    },
  };
}

function dataDirectory(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-clock-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

const read = ({ wire }: TestController, token: string) => wire('GET', current, { token });

describe('when the clock of the machine is set, an API session in SQLite', () => {
  it.each([10 * minute, -10 * minute])('does not end early, also after a restart: %d ms', async (step) => {
    const dataDir = dataDirectory();
    const { clock, set } = settableClock();
    const options = { dataDir, clock, sessionTimeout: 5 * minute };
    let server = await startController(options);
    const token = await server.signIn();
    set(step);
    for (const isRestarted of [false, true]) {
      if (isRestarted) server = await startController(options);
      const { status, body } = await read(server, token);
      expect(status).toBe(200);
      // The API shows dates of the wall clock.
      const [lastActivityAt, expiresAt] = [body.data.lastActivityAt, body.data.expiresAt].map(Date.parse);
      expect(Math.abs(clock() - lastActivityAt!)).toBeLessThan(minute);
      expect(expiresAt! - lastActivityAt!).toBe(5 * minute);
      const since = (milliseconds: number) => `lastActivityAt > datetime(${new Date(milliseconds).toISOString()})`;
      for (const [filter, count] of [
        [since(clock() - minute), 1],
        [since(clock() + minute), 0],
      ] as const) {
        const list = await server.wire('GET', `${lists}?filter=${encodeURIComponent(filter)}`, { token });
        expect(list.body.data).toHaveLength(count);
      }
      await server.controller.close();
    }
  });

  it.each([
    ['while the controller runs', false],
    ['before a restart', true],
  ])('ends with its timeout when the clock goes back %s', async (_, isRestarted) => {
    const { clock, set } = settableClock();
    const options = { dataDir: dataDirectory(), clock, sessionTimeout: 1_000 };
    const first = await startController(options);
    const token = await first.signIn();
    set(-10 * minute);
    if (isRestarted) await first.controller.close();
    await using second = isRestarted ? await startController(options) : first;
    await sleep(1_050);
    expect((await read(second, token)).status).toBe(401);
  });

  it('lives by the wall clock over a restart of the machine, which may go back', async () => {
    const { clock, set } = settableClock();
    const options = { dataDir: dataDirectory(), clock, sessionTimeout: 5 * minute };
    const statuses: number[] = [];
    const first = await startController(options);
    const token = await first.signIn();
    await first.controller.close();
    for (const step of [-minute, 2 * minute, 10 * minute]) {
      restartMachine(options.dataDir);
      set(step);
      await using server = await startController(options);
      statuses.push((await read(server, token)).status);
    }
    expect(statuses).toEqual([200, 200, 401]);
  });
});

/** A controller with an identity that has TOTP, and the clock of both. */
async function enrolled(options: ControllerOptions) {
  const time = testTime();
  const server = await startController({ clock: time.clock, ...options });
  const user = await server.addUser(await server.signIn());
  const { totp } = await enrollTotp(server.wire, await server.signIn(user), { time });
  const answer = async (code: string, replica = server) =>
    replica.wire('POST', totpPaths('client').answer, { token: await replica.signIn(user), body: { code } });
  return { server, time, totp, answer };
}

describe.each(storePairs)('when the clock of the machine was ten minutes ahead on $stores', ({ open }) => {
  it('the owner signs in at once when it is right again, and no code is accepted twice', async () => {
    const { server, time, totp, answer } = await enrolled({ ...(await open()), totpAttempts: 100 });
    await using _closed = server;
    const status = async (code: string) => (await answer(code)).status;
    await time.pass(2 * minute);
    const start = time.now();
    const [now, ahead] = [totp.at(start), totp.at(start + 10 * minute)];
    expect(await status(now)).toBe(200);
    time.set(start + 10 * minute);
    expect(await status(ahead)).toBe(200);
    time.set(start);
    expect(await status(now)).toBe(400);
    expect(await status(ahead)).toBe(400);
    time.set(start + minute);
    const next = totp.at(time.now());
    expect([await status(next), await status(next)]).toEqual([200, 400]);
    time.set(start + 10 * minute);
    expect(await status(ahead)).toBe(400);
    expect(await status(totp.at(time.now() + minute / 2))).toBe(200);
    // The same when the clock goes back by more: the codes of that time were accepted once.
    for (const [moment, code] of [
      [start, now],
      [start + minute, next],
    ] as const) {
      time.set(moment);
      expect(await status(code)).toBe(400);
    }
  });

  it('attempts count for one window at most, and not less', async () => {
    const { server, time, totp, answer } = await enrolled({
      ...(await open()),
      totpAttempts: 2,
      totpAttemptWindow: 5 * minute,
    });
    await using _closed = server;
    const start = time.now();
    time.set(start + 10 * minute);
    expect([(await answer(totp.wrong())).status, (await answer(totp.wrong())).status]).toEqual([400, 400]);
    time.set(start + minute);
    const refused = await answer(totp.at(time.now()));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '300']);
    await time.pass(5 * minute - 1);
    expect((await answer(totp.at(time.now()))).status).toBe(429);
    await time.pass(1);
    expect((await answer(totp.at(time.now()))).status).toBe(200);
  });
});

it('replicas whose clocks differ share the attempts, and accept a code once', async () => {
  const { open } = sharedStores;
  const stores = { ...(await open()), sealKey: Buffer.alloc(32, 7), totpAttempts: 30 };
  const { server, time, totp, answer } = await enrolled(stores);
  await using first = server;
  await using second = await startController({ ...stores, clock: () => time.now() + 5_000 });
  await time.pass(2 * minute);
  const replicas = [first, second];
  const code = totp.at(time.now());
  const answers = Array.from({ length: 20 }, async (_, at) => (await answer(code, replicas[at % 2])).status);
  expect((await Promise.all(answers)).filter((status) => status === 200)).toHaveLength(1);
  await time.pass(minute);
  expect((await answer(totp.at(time.now()))).status).toBe(200);
  const guesses: number[] = [];
  for (let at = 0; at < 40; at += 1) guesses.push((await answer(totp.wrong(), replicas[at % 2])).status);
  expect(guesses.filter((status) => status === 400)).toHaveLength(30);
});

/** Lets the file of API sessions look as if the machine had been started again since it was written. */
function restartMachine(dataDir: string): void {
  const database = new Database(join(dataDir, 'sessions.db'));
  database.exec(`update clock set bootId = 'another'`);
  database.close();
}
