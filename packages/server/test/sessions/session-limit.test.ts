import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { everyStorePair, sharedStores, startController } from '../support/controller.ts';
import { enrollTotp } from '../support/totp.ts';

const current = '/edge/client/v1/current-api-session';

const isLive = async ({ wire }: TestController, token: string) =>
  (await wire('GET', current, { token })).status === 200;
/** Not by a use: that would make it the last used one. */
const look = async ({ wire }: TestController, token: string) =>
  (await wire('GET', `${current}?touch=false`, { token })).status === 200;
const areLive = async (server: TestController, tokens: readonly string[]) => {
  const live: boolean[] = [];
  for (const token of tokens) live.push(await look(server, token));
  return live;
};

describe.each(everyStorePair)('a limit of API sessions for each identity on $stores', ({ open }) => {
  it('ends the one that was not used for the longest time, and says so', async () => {
    await using server = await startController({ ...(await open()), maxApiSessions: 3 });
    const admin = await server.signIn();
    const [user, other] = [await server.addUser(admin), await server.addUser(admin)];
    const foreign = await server.signIn(other);
    const tokens: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      tokens.push(await server.signIn(user));
      await sleep(5);
    }
    const [oldest, second] = await Promise.all(
      tokens.map(async (token) => (await server.wire('GET', `${current}?touch=false`, { token })).body.data.id),
    );
    // Right after its beginning, a use does not count.
    await sleep(1_100);
    expect(await isLive(server, tokens[0]!)).toBe(true);
    const ended: object[] = [];
    server.controller.events.on('apiSession.ended', (event) => ended.push(event));
    tokens.push(await server.signIn(user));
    expect(await areLive(server, tokens)).toEqual([true, false, true, true]);
    expect(ended).toEqual([{ apiSessionId: second, identityId: user.id, by: 'controller' }]);
    const filter = encodeURIComponent(`event = "apiSession.ended" and entityId = "${second}"`);
    const entries = await server.wire('GET', `/edge/management/v1/audit-log?filter=${filter}`, { token: admin });
    expect(entries.body.data).toMatchObject([{ identityId: null, details: { by: 'controller' } }]);
    expect(oldest).not.toBe(second);
    expect([await isLive(server, foreign), await isLive(server, admin)]).toEqual([true, true]);
  });

  it('holds when 50 sign in at once', async () => {
    await using server = await startController({ ...(await open()), maxApiSessions: 5 });
    const user = await server.addUser(await server.signIn());
    const tokens = await Promise.all(Array.from({ length: 50 }, () => server.signIn(user)));
    expect((await areLive(server, tokens)).filter(Boolean)).toHaveLength(5);
  });

  it('ends what is too many when it is new, with the next sign-in', async () => {
    await using server = await startController(await open());
    const user = await server.addUser(await server.signIn());
    const before = await Promise.all(Array.from({ length: 20 }, () => server.signIn(user)));
    await server.controller.reload({ maxApiSessions: 2 });
    expect((await areLive(server, before)).filter(Boolean)).toHaveLength(20);
    const after = await server.signIn(user);
    expect(await look(server, after)).toBe(true);
    expect((await areLive(server, before)).filter(Boolean)).toHaveLength(1);
  });

  it('lets a stolen password end nothing that a code has opened', async () => {
    await using server = await startController({ ...(await open()), maxApiSessions: 2 });
    const user = await server.addUser(await server.signIn());
    const owner = await server.signIn(user);
    const { totp } = await enrollTotp(server.wire, owner);
    const stolen: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      stolen.push(await server.signIn(user));
      await sleep(5);
    }
    expect(await look(server, owner)).toBe(true);
    expect(await areLive(server, stolen)).toEqual([false, false, false, true, true]);
    // With the code it counts as any other, and those that lack one go first.
    const body = { code: await totp.next() };
    const answered = await server.wire('POST', '/edge/client/v1/authenticate/mfa', { token: stolen[4]!, body });
    expect(answered.status, answered.text).toBe(200);
    expect(await areLive(server, [owner, ...stolen])).toEqual([true, false, false, false, false, true]);
  });
});

it('a limit of API sessions holds over two controllers that share them', async () => {
  const options = { ...(await sharedStores.open()), sealKey: Buffer.alloc(32, 7), maxApiSessions: 4 };
  await using first = await startController(options);
  await using second = await startController(options);
  const user = await first.addUser(await first.signIn());
  const signIn = async (server: TestController): Promise<string> => {
    const { status, body, text } = await server.wire('POST', '/edge/client/v1/authenticate?method=password', {
      body: user,
    });
    // On a busy machine, Redis may reply too late to so many at once.
    if (status === 503) return signIn(server);
    expect(status, text).toBe(200);
    return body.data.token;
  };
  const tokens = await Promise.all(Array.from({ length: 50 }, (_, at) => signIn(at % 2 === 0 ? first : second)));
  // One whose sign-in began before others and was stored after them may be left.
  const left = (await areLive(first, tokens)).filter(Boolean).length;
  expect(left).toBeGreaterThanOrEqual(4);
  expect(left).toBeLessThan(10);
  const last = await second.signIn(user);
  expect((await areLive(second, [...tokens, last])).filter(Boolean)).toHaveLength(4);
  expect(await look(first, last)).toBe(true);
});
