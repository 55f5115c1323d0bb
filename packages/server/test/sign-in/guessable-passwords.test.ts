import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { pending } from '../support/enrollments.ts';
import { runExecutable } from '../support/executable.ts';
import { temporaryDirectory } from '../support/maintenance.ts';

const common = 'password is one of the most common (commonPasswords)';
const words = 'password should have 8 characters besides the user name and the names of the network (contextWords)';

type Answer = Awaited<ReturnType<TestController['wire']>>;

/** The four ways in which a password gets into the database through the APIs. */
async function waysOf(server: TestController, username: string) {
  const token = await server.signIn();
  const { wire } = server;
  const user = await server.addUser(token);
  const own = { username: user.username, password: user.password };
  const session = await server.signIn(own);
  const { data } = (await wire('GET', '/edge/client/v1/current-identity/authenticators', { token: session })).body;
  const [{ id }] = data;
  const enrollment = await pending(server, token, username);
  const bare = { name: `bare-${username}`, type: 'User', isAdmin: false };
  const identityId = (await wire('POST', '/edge/management/v1/identities', { token, body: bare })).body.data.id;
  const authenticators = '/edge/management/v1/authenticators';
  return {
    create: (password: string) =>
      wire('POST', authenticators, {
        token,
        body: { method: 'updb', identityId, username: `${username}-2`, password },
      }),
    enrollment: (password: string) =>
      wire('POST', `/edge/client/v1/enroll?method=updb&token=${enrollment.token}`, { body: { password } }),
    owner: async (password: string) =>
      wire('PATCH', `/edge/client/v1/current-identity/authenticators/${id}`, {
        token: await server.signIn(own),
        body: { currentPassword: own.password, password },
      }),
    // Last: it replaces the password with which the owner signs in.
    administrator: (password: string) => wire('PATCH', `${authenticators}/${id}`, { token, body: { password } }),
  };
}

function expectRefusal({ status, body, text }: Answer, reason: string, password: string) {
  expect([status, body?.error.code, body?.error.cause]).toEqual([
    400,
    'COULD_NOT_VALIDATE',
    { field: 'password', reason },
  ]);
  expect(text).not.toContain(password);
}

describe.each(storePairs)('passwords that can be guessed, on $stores', ({ open }) => {
  it('are refused wherever a password is set, and others are accepted', async () => {
    await using server = await startController({ ...(await open()), passwordWords: ['Acme Rockets'] });
    const ways = await waysOf(server, 'winifred');
    for (const [way, set] of Object.entries(ways)) {
      for (const password of ['password1', 'PassWord1', 'basketball', 'christopher1', 'qwertyuiop123']) {
        expectRefusal(await set(password), common, password);
      }
      for (const password of ['edge-controller', 'OpenZiti2026!', 'acme rockets 1']) {
        expectRefusal(await set(password), words, password);
      }
      if (way === 'create' || way === 'enrollment') expectRefusal(await set('Winifred-2026'), words, 'Winifred-2026');
    }
    for (const set of Object.values(ways)) {
      const { status, text } = await set('the edge of winifred, a garden');
      expect([200, 201], text).toContain(status);
    }
  });

  it('still sign in when they were set before, and can be accepted by a setting', async () => {
    const stores = await open();
    await using server = await startController({ ...stores, refuseCommonPasswords: false });
    const { create } = await waysOf(server, 'winifred');
    expect((await create('password1')).status).toBe(201);
    await server.controller.reload({ refuseCommonPasswords: true });
    expect(await server.signIn({ username: 'winifred-2', password: 'password1' })).not.toBe('');
  });
});

const sha1 = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();

it('are refused when their SHA-1 is in the file of breached passwords, also after the file was replaced', async () => {
  const breachedPasswords = join(temporaryDirectory(), 'breached.txt');
  const fill = (passwords: string[]) => {
    const others = Array.from({ length: 10_000 }, (_, at) => `other number ${at}`);
    const lines = [...others, ...passwords].map((password) => `${sha1(password)}:17`);
    rmSync(breachedPasswords, { force: true });
    writeFileSync(breachedPasswords, lines.sort().join('\r\n'));
  };
  fill(['a phrase that leaked', 'another that leaked']);
  await using server = await startController({ breachedPasswords });
  const { administrator } = await waysOf(server, 'winifred');
  const reason = 'password is in a list of breached passwords (breachedPasswords)';
  for (const password of ['a phrase that leaked', 'another that leaked', 'other number 0', 'other number 9999']) {
    expectRefusal(await administrator(password), reason, password);
  }
  expect((await administrator('A phrase that leaked')).status).toBe(200);
  fill(['A phrase that leaked']);
  expectRefusal(await administrator('A phrase that leaked'), reason, 'A phrase that leaked');
  expect((await administrator('a phrase that leaked')).status).toBe(200);
});

describe('the password of the default administrator', () => {
  it('is refused at the first start, in one message, when somebody could guess it', async () => {
    const EDGE_DATA_DIR = join(temporaryDirectory(), 'data');
    for (const [password, reason] of [
      ['iloveyou1', common],
      ['admin-2026', words],
    ] as const) {
      const init = runExecutable(['init'], { EDGE_DATA_DIR, EDGE_ADMIN_PASSWORD: password });
      expect(await init.exited).toBe(2);
      expect(init.stderr()).toContain(`EDGE_ADMIN_PASSWORD cannot be used: ${reason}\n  set in: EDGE_ADMIN_PASSWORD`);
      expect(init.stderr()).not.toContain(password);
    }
    const init = runExecutable(['init'], { EDGE_DATA_DIR, EDGE_ADMIN_PASSWORD: 'a phrase of its own' });
    expect(await init.exited, init.stderr()).toBe(0);
    const reset = runExecutable(['admin', 'reset-password'], { EDGE_DATA_DIR, EDGE_ADMIN_PASSWORD: 'iloveyou1' });
    expect(await reset.exited).toBe(2);
  });

  it('may be a common one on an installation that has the administrator already', async () => {
    await using first = await startController({ adminPassword: 'iloveyou1', refuseCommonPasswords: false });
    await first.controller.close();
    await using again = await startController({
      ...first.options,
      adminPassword: 'iloveyou1',
      refuseCommonPasswords: true,
    });
    expect(await again.signIn({ ...adminCredentials, password: 'iloveyou1' })).not.toBe('');
  });
});
