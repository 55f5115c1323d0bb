import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { enrollTotp, totpPaths } from '../support/totp.ts';

const management = '/edge/management/v1';
const client = '/edge/client/v1';
const initial = 'an initial password';
const own = 'a password of my own';
const asked = { changeInitialPasswords: true };

/** A user whose password an administrator has set. */
async function addUser(server: TestController, token: string) {
  const { id, username } = await server.addUser(token);
  const list = await server.wire('GET', `${management}/authenticators?filter=identity="${id}"`, { token });
  const authenticatorId: string = list.body.data[0].id;
  await setPassword(server, token, authenticatorId, initial);
  return { id, username, authenticatorId, path: `${client}/current-identity/authenticators/${authenticatorId}` };
}

async function setPassword(server: TestController, token: string, authenticatorId: string, password: string) {
  const path = `${management}/authenticators/${authenticatorId}`;
  const set = await server.wire('PATCH', path, { token, body: { password } });
  expect(set.status, set.text).toBe(200);
}

type User = Awaited<ReturnType<typeof addUser>>;

const change = (server: TestController, { path }: User, token: string, password = own, currentPassword = initial) =>
  server.wire('PATCH', path, { token, body: { currentPassword, password } });

async function queriesOf(server: TestController, token: string): Promise<unknown[] | number> {
  const { status, body } = await server.wire('GET', `${client}/current-api-session`, { token });
  return status === 200 ? body.data.authQueries.map(({ typeId }: { typeId: string }) => typeId) : status;
}

const signIn = (server: TestController, { username }: User, password = initial) =>
  server.signIn({ username, password });

/** Starts without the setting, so that the default administrator signs in as usual. */
async function start(open: () => Promise<object>) {
  const server = await startController(await open());
  const admin = await server.signIn();
  const user = await addUser(server, admin);
  await server.controller.reload(asked);
  return { server, admin, user };
}

describe.each(storePairs)('a password that an administrator has set, on $stores', ({ open }) => {
  it('opens a session that can only change it, and is full afterwards, also after a restart in between', async () => {
    const { server: first, user } = await start(open);
    const token = await signIn(first, user);
    await first.controller.close();
    await using server = await startController({ ...first.options, ...asked });
    const { body } = await server.wire('GET', `${client}/current-api-session`, { token });
    expect(body.data).toMatchObject({
      authQueries: [
        {
          ...{ typeId: 'NEW-PASSWORD', provider: 'ziti', id: user.authenticatorId, httpMethod: 'PATCH' },
          ...{ httpUrl: `./current-identity/authenticators/${user.authenticatorId}`, minLength: 8, maxLength: 100 },
        },
      ],
      ...{ isMfaRequired: false, isMfaComplete: false },
    });
    const refused: [string, string, object?][] = [
      ['GET', `${client}/current-identity`],
      ['GET', `${client}/services`],
      ['GET', user.path],
      ['PUT', user.path, { username: user.username, currentPassword: initial, password: own }],
      ['PATCH', user.path, { username: 'another name', currentPassword: initial, password: own }],
      ['PATCH', user.path, { tags: { a: 1 }, currentPassword: initial, password: own }],
      ['PATCH', user.path, { currentPassword: initial }],
      ['POST', `${client}/current-identity/mfa`],
      ['GET', `${management}/identities`],
    ];
    for (const [method, path, sent] of refused) {
      const answer = await server.wire(method, path, { token, ...(sent && { body: sent }) });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
    expect((await change(server, user, token)).status).toBe(200);
    expect(await queriesOf(server, token)).toEqual([]);
    expect((await server.wire('GET', `${client}/current-identity`, { token })).status).toBe(200);
    expect(await queriesOf(server, await signIn(server, user, own))).toEqual([]);
    // Its owner knows it alone now, so an administrator who sets it asks again.
    await server.controller.reload({ changeInitialPasswords: false });
    await setPassword(server, await server.signIn(), user.authenticatorId, initial);
    await server.controller.reload(asked);
    expect(await queriesOf(server, await signIn(server, user))).toEqual(['NEW-PASSWORD']);
  });

  it('does not stay, is not replaced by a common one, and is asked for as slowly as at sign-ins', async () => {
    const { server: first, user } = await start(open);
    await first.controller.close();
    await using server = await startController({ ...first.options, ...asked, passwordAttempts: 3 });
    const token = await signIn(server, user);
    for (const password of [initial, 'password1']) {
      const answer = await change(server, user, token, password);
      expect([answer.status, answer.body.error.cause.field]).toEqual([400, 'password']);
    }
    expect(await queriesOf(server, token)).toEqual(['NEW-PASSWORD']);
    const other = await addUser(server, await adminToken(server));
    expect((await change(server, other, token, own, initial)).status).toBe(404);
    // A known address has a count of its own, which is the same limit.
    const guesses: number[] = [];
    for (let at = 0; at < 5; at++) guesses.push((await change(server, user, token, own, `guess number ${at}`)).status);
    expect(guesses).toEqual([401, 401, 401, 429, 429]);
    expect((await change(server, user, token)).status).toBe(429);
  });

  it('is changed once by several at once, and the others who know it are out', async () => {
    const { server, user } = await start(open);
    await using _ = server;
    const tokens = await Promise.all([1, 2, 3, 4].map(() => signIn(server, user)));
    const answers = await Promise.all(tokens.map((token, at) => change(server, user, token, `${own} ${at}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const states = await Promise.all(tokens.map((token) => queriesOf(server, token)));
    expect(states).toEqual(tokens.map((_token, at) => (at === winner ? [] : 401)));
  });

  it('is not changed before the other factors are proven', async () => {
    const { server, user } = await start(open);
    await using _ = server;
    await server.controller.reload({ changeInitialPasswords: false });
    const { totp } = await enrollTotp(server.wire, await signIn(server, user));
    await server.controller.reload(asked);
    const token = await signIn(server, user);
    expect(await queriesOf(server, token)).toEqual(['MFA', 'NEW-PASSWORD']);
    expect((await change(server, user, token)).status).toBe(401);
    const body = { code: await totp.next() };
    expect((await server.wire('POST', totpPaths('client').answer, { token, body })).status).toBe(200);
    expect(await queriesOf(server, token)).toEqual(['NEW-PASSWORD']);
    expect((await change(server, user, token)).status).toBe(200);
    expect(await queriesOf(server, token)).toEqual([]);
  });

  it('is asked for from the next request on when the setting says so, and no longer when it does not', async () => {
    const { server, user } = await start(open);
    await using _ = server;
    await server.controller.reload({ changeInitialPasswords: false });
    const token = await signIn(server, user);
    expect(await queriesOf(server, token)).toEqual([]);
    await server.controller.reload(asked);
    expect(await queriesOf(server, token)).toEqual(['NEW-PASSWORD']);
    await server.controller.reload({ changeInitialPasswords: false });
    expect((await server.wire('GET', `${client}/services`, { token })).status).toBe(200);
    // What somebody else has set may stay while nobody asks, and so may its other sessions.
    const other = await signIn(server, user);
    expect((await change(server, user, other)).status).toBe(200);
    await server.controller.reload(asked);
    expect([await queriesOf(server, token), await queriesOf(server, other)]).toEqual([[], []]);
  });

  it('counts from its creation, and not when somebody sets the own one or enrolls it', async () => {
    const { server, admin, user } = await start(open);
    await using _ = server;
    const enrolled = await server.addUser(await adminToken(server));
    expect(await queriesOf(server, await server.signIn(enrolled))).toEqual([]);
    const name = `${user.username}-created`;
    const created = await server.wire('POST', `${management}/identities`, {
      ...{ token: await adminToken(server), body: { name, type: 'User', isAdmin: true } },
    });
    const body = { method: 'updb', identityId: created.body.data.id, username: name, password: initial };
    const token = await adminToken(server);
    const { status } = await server.wire('POST', `${management}/authenticators`, { token, body });
    expect([status, admin === token]).toEqual([201, false]);
    expect(await queriesOf(server, await server.signIn({ username: name, password: initial }))).toEqual([
      'NEW-PASSWORD',
    ]);
  });
});

/** A full session of the default administrator, whose password is in the settings. */
async function adminToken(server: TestController): Promise<string> {
  await server.controller.reload({ changeInitialPasswords: false });
  const token = await server.signIn();
  const { id } = (await server.wire('GET', `${client}/current-identity`, { token })).body.data;
  const list = await server.wire('GET', `${management}/authenticators?filter=identity="${id}"`, { token });
  const password = 'correct horse battery';
  await setPassword(server, token, list.body.data[0].id, password);
  await server.controller.reload(asked);
  expect(await queriesOf(server, token)).toEqual([]);
  return token;
}
