import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import type { TestController } from '../support/controller.ts';
import { sharedStores, startController, storePairs } from '../support/controller.ts';
import { useSlowHashes } from '../support/hash-cost.ts';
import { sql } from '../support/sql.ts';

const minute = 60_000;
const hour = 60 * minute;
/** Proxies say where a client is. Without it, all requests come from one address. */
const proxy = { trustedProxies: ['127.0.0.1'] };
const owner = '198.51.100.1';
const outsider = '203.0.113.7';

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A controller with a clock that the test sets, and a user who has not signed in yet. */
async function start(options: ControllerOptions) {
  const time = { now: Date.now() };
  const server = await startController({ ...proxy, clock: () => time.now, ...options });
  const user: Credentials = await server.addUser(await server.signIn());
  return { server, time, user, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const attempt = (server: TestController, { username, password }: Credentials, from: string) =>
  server.wire('POST', '/edge/client/v1/authenticate?method=password', {
    body: { username, password },
    headers: { 'x-forwarded-for': from },
  });

const status = async (server: TestController, credentials: Credentials, from: string) =>
  (await attempt(server, credentials, from)).status;

const guess = (server: TestController, user: Credentials, from = outsider) =>
  attempt(server, { ...user, password: 'a guess' }, from);

/** Sends wrong passwords one after another, and counts the responses by their status. */
async function guesses(
  server: TestController,
  user: Credentials,
  { times, from = outsider }: { times: number; from?: string },
) {
  const counted: Record<number, number> = {};
  for (let at = 0; at < times; at += 1) {
    const { status } = await guess(server, user, from);
    counted[status] = (counted[status] ?? 0) + 1;
  }
  return counted;
}

describe.each(storePairs)('the delay after wrong passwords on $stores', ({ open }) => {
  it('refuses 190 of 200 guesses from one address, and the right password after them', async () => {
    await using started = await start(await open());
    const { server, time, user } = started;
    expect(await guesses(server, user, { times: 10 })).toEqual({ 401: 10 });
    const further = await Promise.all(Array.from({ length: 190 }, () => guess(server, user)));
    expect(further.filter(({ status }) => status !== 429)).toEqual([]);
    const refused = await attempt(server, user, outsider);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'SERVER_TOO_MANY_REQUESTS']);
    expect(refused.headers['retry-after']).toBe('1');
    time.now += 1_000;
    expect(await status(server, user, outsider)).toBe(200);
  });

  it('grows to 15 minutes, so that a day has 114 guesses, and is forgotten after a day', async () => {
    await using started = await start(await open());
    const { server, time, user } = started;
    await guesses(server, user, { times: 10 });
    const waits: number[] = [];
    for (let at = 0; at < 12; at += 1) {
      const refused = await guess(server, user);
      expect(refused.status).toBe(429);
      const wait = Number(refused.headers['retry-after']) * 1_000;
      waits.push(wait / 1_000);
      time.now += wait - 1;
      expect((await guess(server, user)).status).toBe(429);
      time.now += 1;
      expect((await guess(server, user)).status).toBe(401);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    time.now += 24 * hour + 15 * minute + 1;
    expect(await guesses(server, user, { times: 12 })).toEqual({ 401: 10, 429: 2 });
  });

  it('does not keep the owner out who signs in from an address that is known', async () => {
    await using started = await start(await open());
    const { server, time, user } = started;
    expect(await status(server, user, owner)).toBe(200);
    await guesses(server, user, { times: 30 });
    expect(await status(server, user, owner)).toBe(200);
    expect(await status(server, user, outsider)).toBe(429);
    // The known address has guesses of its own, and no more than others.
    expect(await guesses(server, user, { times: 12, from: owner })).toEqual({ 401: 10, 429: 2 });
    expect(await status(server, user, owner)).toBe(429);
    time.now += 1_000;
    expect(await status(server, user, owner)).toBe(200);
    expect(await guesses(server, user, { times: 3, from: owner })).toEqual({ 401: 3 });
    // After 30 days without a sign-in, the address is one like any other.
    time.now += 31 * 24 * hour;
    await guesses(server, user, { times: 10 });
    expect(await status(server, user, owner)).toBe(429);
  });

  it('takes the addresses of an IPv6 network as one', async () => {
    await using started = await start(await open());
    const { server, user } = started;
    expect(await status(server, user, '2001:db8:1:2::1')).toBe(200);
    await guesses(server, user, { times: 11, from: '2001:db8:1:3::1' });
    expect(await status(server, user, '2001:db8:1:2:ffff::9')).toBe(200);
    expect(await status(server, user, '2001:db8:1:4::1')).toBe(429);
  });

  it('makes nobody known who does not sign in, and remembers the ten addresses that were used last', async () => {
    await using started = await start(await open());
    const { server, time, user } = started;
    const from = (at: number) => `192.0.2.${at}`;
    for (let at = 1; at <= 11; at += 1) {
      expect(await status(server, user, from(at))).toBe(200);
      time.now += 1_000;
    }
    expect(await guesses(server, user, { times: 11 })).toEqual({ 401: 10, 429: 1 });
    expect(await status(server, user, outsider)).toBe(429);
    expect(await status(server, user, from(1))).toBe(429);
    for (let at = 2; at <= 11; at += 1) expect(await status(server, user, from(at))).toBe(200);
    expect(await status(server, user, outsider)).toBe(429);
  });

  it('is the same for a user name that does not exist, and for a disabled user', async () => {
    await using started = await start(await open());
    const { server, user } = started;
    const token = await server.signIn();
    const disabled = await server.addUser(token);
    const disable = `/edge/management/v1/identities/${disabled.id}/disable`;
    expect((await server.wire('POST', disable, { token, body: { durationMinutes: 60 } })).status).toBe(200);
    // Two of them send the right password at every second attempt, as far as there is one.
    for (const credentials of [disabled, { username: 'nobody-has-it', password: 'a password' }, user]) {
      const passwords = credentials === user ? ['a guess'] : ['a guess', credentials.password];
      const answers = [];
      for (let at = 0; at < 12; at += 1) {
        const password = passwords[at % passwords.length] ?? '';
        const { status, body, headers } = await attempt(server, { ...credentials, password }, outsider);
        answers.push([status, body.error.code, headers['retry-after']]);
      }
      expect(answers).toEqual([
        ...Array.from({ length: 10 }, () => [401, 'INVALID_AUTH', undefined]),
        ...Array.from({ length: 2 }, () => [429, 'SERVER_TOO_MANY_REQUESTS', '1']),
      ]);
    }
  });

  it('compares at most ten of 200 passwords that come at once', async () => {
    useSlowHashes();
    await using started = await start(await open());
    const { server, time, user } = started;
    await Promise.all(Array.from({ length: 200 }, () => server.wire('GET', '/version')));
    const answers = await Promise.all(Array.from({ length: 200 }, () => guess(server, user)));
    const compared = answers.filter(({ status }) => status === 401);
    expect([compared.length, answers.length - compared.length]).toEqual([10, 190]);
    for (const { status } of answers) expect([401, 429]).toContain(status);
    // One slot comes after the delay, for one of all that wait for it.
    time.now += 1_000;
    const again = await Promise.all(Array.from({ length: 50 }, () => guess(server, user)));
    expect(again.filter(({ status }) => status === 401)).toHaveLength(1);
  });

  it('lets no right password pass that comes together with too many wrong ones', async () => {
    useSlowHashes();
    await using started = await start({ ...(await open()), hashConcurrency: 4 });
    const { server, user } = started;
    await Promise.all(Array.from({ length: 100 }, () => server.wire('GET', '/version')));
    const wrong = Array.from({ length: 60 }, () => guess(server, user));
    const last = attempt(server, user, outsider);
    const counted = (await Promise.all(wrong)).filter(({ status }) => status === 401);
    expect(counted).toHaveLength(10);
    expect([401, 429]).toContain((await last).status);
    expect(await status(server, user, outsider)).toBe(429);
  });

  it('begins anew after a right password', async () => {
    await using started = await start(await open());
    const { server, user } = started;
    for (let round = 0; round < 3; round += 1) {
      expect(await guesses(server, user, { times: 9 })).toEqual({ 401: 9 });
      expect(await status(server, user, outsider)).toBe(200);
    }
  });

  it('outlasts a restart, and a clock that is set back makes it no longer', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'edge-delays-'));
    const options = { ...(await open()), dataDir };
    try {
      const first = await start(options);
      await guesses(first.server, first.user, { times: 14 });
      await first.server[Symbol.asyncDispose]();
      const time = { now: first.time.now - 24 * hour };
      await using second = await startController({ ...options, ...proxy, clock: () => time.now });
      const refused = await attempt(second, first.user, outsider);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '900']);
      time.now = first.time.now;
      expect((await attempt(second, first.user, outsider)).headers['retry-after']).toBe('1');
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('does not believe X-Forwarded-For of a peer that is no proxy', async () => {
    await using started = await start({ ...(await open()), trustedProxies: [] });
    const { server, user } = started;
    for (let at = 0; at < 10; at += 1) expect((await guess(server, user, `198.51.100.${at}`)).status).toBe(401);
    expect((await guess(server, user, '198.51.100.99')).status).toBe(429);
    expect(await status(server, user, owner)).toBe(429);
  });

  it('delays guesses of the current password in a session', async () => {
    await using started = await start(await open());
    const { server, user } = started;
    const token = await server.signIn(user);
    const own = '/edge/client/v1/current-identity/authenticators';
    const [{ id }] = (await server.wire('GET', own, { token })).body.data;
    const change = (currentPassword: string) =>
      server.wire('PATCH', `${own}/${id}`, { token, body: { currentPassword, password: 'another password' } });
    for (let at = 0; at < 10; at += 1) expect((await change('a guess')).status).toBe(401);
    expect((await change('a guess')).status).toBe(429);
    expect((await change(user.password)).status).toBe(429);
  });

  it('keeps no user name or address in clear, and forgets unknown names', async () => {
    await using started = await start(await open());
    const { server, user } = started;
    await status(server, user, owner);
    for (let at = 0; at < 5; at += 1) await guess(server, { username: `nobody-${at}`, password: 'x' });
    const rows = JSON.stringify(await sql(server, 'select * from "passwordDelays"'));
    for (const clear of [user.username, 'nobody', owner, outsider]) expect(rows).not.toContain(clear);
  });
});

it('replicas count together', async () => {
  const { open } = sharedStores;
  // Time stands still: a delay that passes meanwhile would let one more guess through.
  const now = Date.now();
  const options = { ...(await open()), sealKey: Buffer.alloc(32, 3), ...proxy, clock: () => now };
  await using one = await startController(options);
  await using two = await startController(options);
  const user = await one.addUser(await one.signIn());
  expect(await status(two, user, owner)).toBe(200);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => guess(at % 2 ? one : two, user)));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  expect(await status(one, user, outsider)).toBe(429);
  expect(await status(one, user, owner)).toBe(200);
});

it('can be switched off without a restart', async () => {
  await using started = await start({});
  const { server, user } = started;
  await guesses(server, user, { times: 11 });
  await server.controller.reload({ passwordAttempts: 0 });
  expect(await guesses(server, user, { times: 11 })).toEqual({ 401: 11 });
  expect(await status(server, user, outsider)).toBe(200);
});
