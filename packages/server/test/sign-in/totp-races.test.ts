import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { createSealer } from '../../src/core/secrets/sealer.ts';
import { reserveAttempt } from '../../src/credentials/mfas/attempts.ts';
import { sealRecoveryCodes } from '../../src/credentials/mfas/sealed-members.ts';
import { noUsedSteps } from '../../src/credentials/mfas/used-steps.ts';
import { consumeCode } from '../../src/sign-in/authentication/queries/totp/consume-code.ts';
import { newRecoveryCodes } from '../../src/sign-in/authentication/queries/totp/recovery-codes.ts';
import { codeOfStep, newSecret, stepAt } from '../../src/sign-in/authentication/queries/totp/totp.ts';
import type { EntityStore } from '../../src/storage/entity-store/entity-store.ts';
import { openPostgresEntityStore } from '../../src/storage/entity-store/postgres/entity-store.ts';
import { openSqliteEntityStore } from '../../src/storage/entity-store/sqlite/entity-store.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, sharedStores, startController, storePairs } from '../support/controller.ts';
import { runExecutable } from '../support/executable.ts';
import { freshDatabase } from '../support/postgres.ts';
import type { Wire } from '../support/request.ts';
import { createWire, served } from '../support/request.ts';
import { enrollTotp, readTotp, testTime, totpPaths } from '../support/totp.ts';

const { answer: answerPath, session: sessionPath, identity: identityPath, mfa: mfaPath, verify } = totpPaths('client');

const answer = async (wire: Wire, token: string, code: string) => wire('POST', answerPath, { token, body: { code } });
const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const countOf = (statuses: readonly number[], status: number) => statuses.filter((each) => each === status).length;

async function enrolledUser(server: TestController, time: ReturnType<typeof testTime>) {
  const user = await server.addUser(await server.signIn());
  const token = await server.signIn(user);
  return { user, token, ...(await enrollTotp(server.wire, token, { time })) };
}

describe.each(storePairs)('the attempt budget on $stores', ({ open }) => {
  it('ends with the Nth wrong code, over all sessions; then right codes are refused, too', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock, totpAttempts: 4 });
    const told: unknown[] = [];
    server.controller.events.on('mfaCode.refused', ({ reason }) => told.push(reason));
    server.controller.events.on('apiSession.ended', ({ by }) => told.push(by));
    const { user, token: fullToken, totp, recoveryCodes } = await enrolledUser(server, time);
    const remaining: unknown[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      // A new session does not begin a new count; TOTP and recovery codes share it.
      const token = attempt === 3 ? fullToken : await server.signIn(user);
      const refused = await answer(server.wire, token, attempt % 2 === 0 ? totp.wrong() : 'AAAAAA');
      expect([refused.status, refused.body.error.code]).toEqual([400, 'MFA_INVALID_TOKEN']);
      remaining.push(refused.headers['ratelimit-remaining']);
    }
    expect(remaining).toEqual(['3', '2', '1', '0']);
    await time.pass(60_500);
    const partialToken = await server.signIn(user);
    const right = await answer(server.wire, partialToken, await totp.next());
    expect([right.status, right.body.error.code]).toEqual([429, 'SERVER_TOO_MANY_REQUESTS']);
    expect(right.headers['retry-after']).toBe(String(Math.ceil(15 * 60 - 60.5)));
    expect((await server.wire('GET', sessionPath, { token: partialToken })).status).toBe(401);
    expect((await answer(server.wire, partialToken, await totp.next())).status).toBe(401);
    for (const code of [recoveryCodes[0] ?? '', await totp.next()]) {
      expect((await answer(server.wire, fullToken, code)).status).toBe(429);
      const headers = { 'mfa-validation-code': code };
      expect((await server.wire('DELETE', mfaPath, { token: fullToken, headers })).status).toBe(429);
    }
    // A full session stays.
    expect((await server.wire('GET', identityPath, { token: fullToken })).status).toBe(200);
    expect(told).toEqual([...Array(4).fill('wrong'), 'exhausted', 'controller', ...Array(4).fill('exhausted')]);
  });

  it('refuses what cannot be a code like any other when it is used up', async () => {
    await using server = await startController({ ...(await open()), totpAttempts: 1 });
    const user = await server.addUser(await server.signIn());
    const { totp } = await enrollTotp(server.wire, await server.signIn(user));
    const token = await server.signIn(user);
    expect((await answer(server.wire, token, totp.wrong())).status).toBe(400);
    const refused = await answer(server.wire, token, 'abc');
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await answer(server.wire, token, 'abc')).status).toBe(401);
  });

  it('survives a restart, is there again after the window, and a right code fills it', async () => {
    const time = testTime();
    const options = { ...(await open()), clock: time.clock, totpAttempts: 2, totpAttemptWindow: 300_000 };
    await using first = await startController(options);
    const { user, totp } = await enrolledUser(first, time);
    await answer(first.wire, await first.signIn(user), totp.wrong());
    const right = await answer(first.wire, await first.signIn(user), await totp.next());
    expect(right.status).toBe(200);
    for (const left of ['1', '0']) {
      const wrong = await answer(first.wire, await first.signIn(user), totp.wrong());
      expect([wrong.status, wrong.headers['ratelimit-remaining']]).toEqual([400, left]);
    }
    const end = time.now() + 300_000;
    await first.controller.close();
    await using second = await startController({ ...options, ...first.options });
    expect((await answer(second.wire, await second.signIn(user), await totp.next())).status).toBe(429);
    time.set(end - 60_000);
    expect((await answer(second.wire, await second.signIn(user), await totp.next())).status).toBe(429);
    time.set(end - 1);
    expect((await answer(second.wire, await second.signIn(user), totp.wrong())).status).toBe(429);
    time.set(end);
    const again = await answer(second.wire, await second.signIn(user), totp.wrong());
    expect([again.status, again.headers['ratelimit-remaining']]).toEqual([400, '1']);
    expect((await answer(second.wire, await second.signIn(user), await totp.next())).status).toBe(200);
  });

  it('is not exceeded by 200 parallel guesses over several sessions', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const { user, token: fullToken, totp } = await enrolledUser(server, time);
    const tokens = [fullToken, ...(await times(4, () => server.signIn(user)))];
    const wrong = totp.wrong();
    // The guesses are to arrive at once, not one TLS handshake after the other.
    await times(200, () => server.wire('GET', '/version'));
    const statuses = await times(200, async (index) => {
      const guess = await answer(server.wire, tokens[index % tokens.length] ?? '', wrong);
      return guess.status;
    });
    expect(countOf(statuses, 400)).toBe(10);
    expect(statuses.filter((status) => ![400, 401, 429].includes(status))).toEqual([]);
    expect((await answer(server.wire, fullToken, await totp.next())).status).toBe(429);
    for (const token of tokens.slice(1)) {
      expect((await answer(server.wire, token, await totp.next())).status).toBeOneOf([401, 429]);
      expect((await server.wire('GET', sessionPath, { token })).status).toBe(401);
    }
    expect((await server.wire('GET', identityPath, { token: fullToken })).status).toBe(200);
    await time.pass(15 * 60_000);
    expect((await answer(server.wire, await server.signIn(user), await totp.next())).status).toBe(200);
  });
});

describe.each(storePairs)('one code for many requests on $stores', ({ open }) => {
  it('is accepted once: TOTP, 100 at a time, over several sessions and both APIs', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock, totpAttempts: 1_000 });
    const { user, totp } = await enrolledUser(server, time);
    for (let round = 0; round < 3; round += 1) {
      const tokens = await times(4, () => server.signIn(user));
      const code = await totp.next();
      const statuses = await times(100, async (index) => {
        const path = index % 8 < 4 ? answerPath : totpPaths('management').answer;
        return (await server.wire('POST', path, { token: tokens[index % 4] ?? '', body: { code } })).status;
      });
      expect([countOf(statuses, 200), countOf(statuses, 400)]).toEqual([1, 99]);
      const states = await times(4, async (index) => {
        const { body } = await server.wire('GET', sessionPath, { token: tokens[index] ?? '' });
        return body.data.authQueries.length;
      });
      expect(states.sort()).toEqual([0, 1, 1, 1]);
    }
  });

  it('is accepted once: recovery codes, while all of them are accepted when they come at once', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock, totpAttempts: 1_000 });
    const { user, recoveryCodes } = await enrolledUser(server, time);
    const tokens = await times(2, () => server.signIn(user));
    for (const code of recoveryCodes.slice(0, 10)) {
      const statuses = await times(
        10,
        async (index) => (await answer(server.wire, tokens[index % 2] ?? '', code)).status,
      );
      expect([countOf(statuses, 200), countOf(statuses, 400)]).toEqual([1, 9]);
    }
    const rest = await times(20, async (index) => {
      return (await answer(server.wire, tokens[index % 2] ?? '', recoveryCodes[10 + (index % 10)] ?? '')).status;
    });
    expect([countOf(rest, 200), countOf(rest, 400)]).toEqual([10, 10]);
  });

  it('verifies an enrollment once', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock, totpAttempts: 1_000 });
    const user = await server.addUser(await server.signIn());
    const tokens = await times(2, () => server.signIn(user));
    const token = tokens[0] ?? '';
    const created = await times(20, async () => (await served(() => server.wire('POST', mfaPath, { token }))).status);
    expect([countOf(created, 201), countOf(created, 409)]).toEqual([1, 19]);
    const { provisioningUrl } = (await server.wire('GET', mfaPath, { token })).body.data;
    const code = await readTotp(provisioningUrl, time).next();
    const verified = await times(20, async (index) => {
      return (await server.wire('POST', verify, { token: tokens[index % 2] ?? '', body: { code } })).status;
    });
    expect(countOf(verified, 200)).toBe(1);
    expect(verified.filter((status) => ![200, 400, 404].includes(status))).toEqual([]);
    const open_ = await times(2, async (index) => {
      return (await server.wire('GET', sessionPath, { token: tokens[index] ?? '' })).body.data.authQueries.length;
    });
    expect(open_.sort()).toEqual([0, 1]);
  });

  it('does not bring back a session that ends at the same moment', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const { user, recoveryCodes } = await enrolledUser(server, time);
    for (const [round, code] of recoveryCodes.slice(0, 12).entries()) {
      const token = await server.signIn(user);
      const ending = setTimeout(round % 3).then(() => server.wire('DELETE', sessionPath, { token }));
      const [answered, ended] = await Promise.all([answer(server.wire, token, code), ending]);
      expect(answered.status).toBeOneOf([200, 401]);
      expect(ended.status).toBe(200);
      expect((await server.wire('GET', sessionPath, { token })).status).toBe(401);
    }
  });

  it('does not outlive the TOTP that is removed at the same moment', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const admin = await server.signIn();
    await server.wire('PATCH', '/edge/management/v1/auth-policies/default', {
      token: admin,
      body: { secondary: { requireTotp: true } },
    });
    // The administrator is asked, too, from now on.
    await enrollTotp(server.wire, admin, { time });
    const user = await server.addUser(admin);
    for (let round = 0; round < 12; round += 1) {
      const token = await server.signIn(user);
      const { totp } = await enrollTotp(server.wire, token, { time });
      const other = await server.signIn(user);
      const code = await totp.next();
      const removing = setTimeout(round % 4).then(() =>
        server.wire('DELETE', `/edge/management/v1/identities/${user.id}/mfa`, { token: admin }),
      );
      const [answered, removed] = await Promise.all([answer(server.wire, other, code), removing]);
      expect(removed.status).toBe(200);
      expect(answered.status).toBeOneOf([200, 400, 409]);
      for (const each of [token, other]) {
        const { body } = await server.wire('GET', sessionPath, { token: each });
        expect(body.data.authQueries, `round ${round}`).toHaveLength(1);
        expect((await server.wire('GET', identityPath, { token: each })).status).toBe(401);
      }
    }
  });
});

const sealer = createSealer(Buffer.alloc(32, 5));
const folder = mkdtempSync(join(tmpdir(), 'edge-totp-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  { store: 'SQLite', open: () => openSqliteEntityStore({ file: join(folder, 'entities.db') }) },
  {
    store: 'PostgreSQL',
    open: async () => openPostgresEntityStore({ url: await freshDatabase(inject('postgresUrl')) }),
  },
])('1,000 races on $store', ({ open }) => {
  const now = 2_000_000_000_000;
  const services = (database: EntityStore) => ({ database, sealer, clock: () => now });

  async function addMfa(database: EntityStore, secret: string, codes: readonly string[]) {
    const base = { createdAt: '', updatedAt: '', tags: '{}' };
    await database.db
      .insertInto('identities')
      .values({
        ...{ ...base, id: 'anna', name: 'anna', typeId: 'Default', isAdmin: 0, isDefaultAdmin: 0, externalId: null },
        ...{
          authPolicyId: 'default',
          defaultHostingCost: 0,
          defaultHostingPrecedence: 'default',
        },
        ...{ serviceHostingCosts: '{}', serviceHostingPrecedences: '{}', appData: '{}', envInfo: '{}', sdkInfo: '{}' },
        ...{ disabledAt: null, disabledUntil: null },
      })
      .execute();
    const owned = { id: 'mfa', identityId: 'anna' };
    const mfa = {
      ...{ ...base, ...owned, isVerified: 1, usedSteps: noUsedSteps, attempts: 0, attemptedAt: null, sessionId: 's' },
      sealedSecret: sealer.seal(secret, 'anna mfa secret'),
      sealedRecoveryCodes: sealRecoveryCodes({ sealer }, owned, codes),
    };
    await database.db.insertInto('mfas').values(mfa).execute();
    return mfa;
  }

  it.each(['recoveryCode', 'totp'] as const)('for one code have one winner each: %s', async (kind) => {
    const database = await open();
    await database.db.deleteFrom('identities').execute();
    const secret = newSecret();
    let codes = newRecoveryCodes();
    const mfa = await addMfa(database, secret, codes);
    const wins: number[] = [];
    for (let round = 0; round < 1_000; round += 1) {
      if (codes.length === 0) {
        codes = newRecoveryCodes();
        const sealedRecoveryCodes = sealRecoveryCodes({ sealer }, mfa, codes);
        await database.db.updateTable('mfas').set({ sealedRecoveryCodes }).execute();
      }
      const step = stepAt(now);
      await database.db
        .updateTable('mfas')
        .set({ usedSteps: `[${step - 1}]` })
        .execute();
      const code = kind === 'totp' ? codeOfStep(secret, step) : (codes.pop() ?? '');
      const found = await database.db.selectFrom('mfas').selectAll().executeTakeFirstOrThrow();
      const results = await times(5, () => consumeCode(services(database), found, { kind, code }));
      wins.push(results.filter((result) => typeof result !== 'string').length);
      expect(results.filter((result) => result !== 'wrong')).toHaveLength(1);
    }
    expect(countOf(wins, 1)).toBe(1_000);
    await database.close();
  });

  it('for the attempts of one identity have as many winners as the budget allows', async () => {
    const database = await open();
    await database.db.deleteFrom('identities').execute();
    const mfa = await addMfa(database, newSecret(), []);
    let time = now;
    const settings = { totpAttempts: 2, totpAttemptWindow: 60_000 };
    for (let round = 0; round < 1_000; round += 1) {
      const left = await times(6, () => reserveAttempt({ database, settings, clock: () => time }, mfa));
      expect(left.filter((each) => each !== null).sort(), `round ${round}`).toEqual([0, 1]);
      time += settings.totpAttemptWindow;
    }
    await database.close();
  });

  it('of twenty different recovery codes that are used at once have twenty winners', async () => {
    const database = await open();
    await database.db.deleteFrom('identities').execute();
    for (let round = 0; round < 10; round += 1) {
      const codes = newRecoveryCodes();
      await database.db.deleteFrom('identities').execute();
      const mfa = await addMfa(database, newSecret(), codes);
      const results = await Promise.all(
        [...codes, ...codes].map((code) => consumeCode(services(database), mfa, { kind: 'recoveryCode', code })),
      );
      expect(results.filter((result) => typeof result !== 'string')).toHaveLength(20);
      expect(results.filter((result) => result === 'wrong')).toHaveLength(20);
    }
    await database.close();
  });
});

describe('two processes on one PostgreSQL and one Redis', () => {
  it('accept a code once and share the attempt budget, whichever is asked', async () => {
    const stores = await sharedStores.open();
    const sealKey = Buffer.alloc(32, 9);
    await using server = await startController({ ...stores, sealKey });
    const folders = [mkdtempSync(join(folder, 'one-')), mkdtempSync(join(folder, 'two-'))];
    const running = folders.map((dataDir) =>
      runExecutable([], {
        EDGE_DATA_DIR: dataDir,
        EDGE_DATABASE_URL: String(stores.databaseUrl),
        EDGE_REDIS_URL: String(stores.redisUrl),
        EDGE_SEAL_KEY: sealKey.toString('base64'),
        EDGE_SIGN_IN_RATE: '0',
        EDGE_ADMIN_PASSWORD: adminCredentials.password,
      }),
    );
    try {
      const wires = await Promise.all(
        running.map(async ({ ready }, index) => createWire(await ready, join(folders[index] ?? '', 'pki/ca.pem'))),
      );
      const admin = await server.signIn();
      for (let round = 0; round < 22; round += 1) {
        const user = await server.addUser(admin);
        const { totp, recoveryCodes } = await enrollTotp(server.wire, await server.signIn(user));
        for (const code of [await totp.next(), recoveryCodes[0] ?? '']) {
          const tokens = await times(2, () => server.signIn(user));
          const statuses = await Promise.all(
            wires.map(async (wire, index) => (await answer(wire, tokens[index] ?? '', code)).status),
          );
          expect(statuses.sort(), `round ${round}`).toEqual([200, 400]);
        }
      }
      const user = await server.addUser(admin);
      const token = await server.signIn(user);
      const { totp } = await enrollTotp(server.wire, token);
      const wrong = totp.wrong();
      const guesses = await times(100, async (index) => {
        return (await answer(wires[index % 2] ?? server.wire, token, wrong)).status;
      });
      expect([countOf(guesses, 400), countOf(guesses, 429)]).toEqual([10, 90]);
    } finally {
      for (const { process } of running) process.kill('SIGTERM');
      await Promise.all(running.map(({ exited }) => exited));
    }
  });
});
