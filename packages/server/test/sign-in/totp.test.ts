import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { enrollTotp, readTotp, testTime, totpPaths } from '../support/totp.ts';

const identities = '/edge/management/v1/identities';
const policies = '/edge/management/v1/auth-policies';
const empty = { data: {}, meta: {} };
const apis = ['client', 'management'] as const;
const onClient = totpPaths('client');

/** The state of a session as its owner sees it. */
async function stateOf(server: TestController, token: string) {
  const { status, body } = await server.wire('GET', onClient.session, { token });
  if (status !== 200) return status;
  const { authQueries, isMfaRequired, isMfaComplete } = body.data;
  return { queries: authQueries.map((query: { typeId: string }) => query.typeId), isMfaRequired, isMfaComplete };
}

const full = { queries: [], isMfaRequired: true, isMfaComplete: true };
const partial = { queries: ['MFA'], isMfaRequired: true, isMfaComplete: false };
const noFactor = { queries: [], isMfaRequired: false, isMfaComplete: false };

async function requireTotp(server: TestController, admin: string, identityId: string): Promise<string> {
  const created = await server.wire('POST', policies, {
    token: admin,
    body: {
      name: `totp for ${identityId}`,
      primary: {
        cert: { allowed: true, allowExpiredCerts: false },
        extJwt: { allowed: false, allowedSigners: [] },
        updb: {
          allowed: true,
          minPasswordLength: 8,
          requireSpecialChar: false,
          requireNumberChar: false,
          requireMixedCase: false,
          maxAttempts: 0,
          lockoutDurationMinutes: 0,
        },
      },
      secondary: { requireTotp: true },
    },
  });
  expect(created.status).toBe(201);
  const authPolicyId = created.body.data.id;
  const set = await server.wire('PATCH', `${identities}/${identityId}`, { token: admin, body: { authPolicyId } });
  expect(set.status).toBe(200);
  return authPolicyId;
}

describe.each(storePairs)('TOTP on $stores', ({ open }) => {
  it.each(apis)('is enrolled, verified, asked for and removed on the %s API', async (api) => {
    const time = testTime();
    const { session, identity, answer, mfa, verify, qrCode, recoveryCodes } = totpPaths(api);
    await using server = await startController({ ...(await open()), clock: time.clock });
    const { wire } = server;
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const token = await server.signIn(user);

    for (const [method, path] of [
      ['GET', mfa],
      ['GET', qrCode],
      ['DELETE', mfa],
      ['GET', recoveryCodes],
    ] as const) {
      const none = await wire(method, path, { token });
      expect([none.status, none.body.error.code, 'cause' in none.body.error]).toEqual([404, 'NOT_FOUND', false]);
    }
    const tooEarly = await wire('POST', answer, { token, body: { code: '000000' } });
    expect([tooEarly.status, tooEarly.body.error.code]).toEqual([409, 'MFA_NOT_ENROLLED']);
    for (const path of [verify, recoveryCodes]) {
      expect((await wire('POST', path, { token, body: { code: '000000' } })).status).toBe(404);
      const noCode = await wire('POST', path, { token, body: {} });
      expect([noCode.body.error.code, noCode.body.error.cause.field]).toEqual(['COULD_NOT_VALIDATE', 'code']);
    }

    const created = await wire('POST', mfa, { token });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      data: { _links: { self: { href: './current-identity/mfa' } }, id: created.body.data.id },
      meta: {},
    });
    const again = await wire('POST', mfa, { token });
    expect([again.status, again.body.error.code]).toEqual([409, 'MFA_EXISTS']);

    const { data: unverified } = (await wire('GET', mfa, { token })).body;
    expect(unverified).toMatchObject({ id: created.body.data.id, isVerified: false, tags: {} });
    expect(Object.keys(unverified._links).sort()).toEqual(['current-identity', 'qr', 'self', 'verify']);
    expect(unverified.recoveryCodes).toHaveLength(20);
    expect(unverified.recoveryCodes).toEqual([...unverified.recoveryCodes].sort());
    for (const code of unverified.recoveryCodes) expect(code).toMatch(/^(?=.*[A-Z])[A-Z2-7]{6}$/);
    expect(unverified.provisioningUrl).toMatch(
      new RegExp(`^otpauth://totp/Edge%20Controller:${user.username}\\?issuer=Edge%20Controller&secret=[A-Z2-7]{32}$`),
    );
    for (const accept of ['application/json', 'image/png', '*/*']) {
      const image = await wire('GET', qrCode, { token, headers: { accept } });
      expect([image.status, image.headers['content-type']]).toEqual([200, 'image/png']);
    }

    // Begun is not enrolled.
    expect(await stateOf(server, await server.signIn(user))).toEqual(noFactor);
    const totp = readTotp(unverified.provisioningUrl, time);
    const code = await totp.next();
    const notYet = await wire('POST', answer, { token, body: { code } });
    expect([notYet.status, notYet.body.error.code]).toEqual([409, 'MFA_NOT_ENROLLED']);
    for (const refused of [totp.wrong(), unverified.recoveryCodes[0], '']) {
      const wrong = await wire('POST', verify, { token, body: { code: refused } });
      expect([wrong.status, wrong.body.error.code]).toEqual([400, 'MFA_INVALID_TOKEN']);
    }
    const verified = await wire('POST', verify, { token, body: { code } });
    expect([verified.status, verified.body]).toEqual([200, empty]);
    expect(await stateOf(server, token)).toEqual(full);
    expect((await wire('POST', verify, { token, body: { code: await totp.next() } })).status).toBe(404);
    expect((await wire('GET', qrCode, { token })).status).toBe(404);
    const shown = (await wire('GET', mfa, { token })).body.data;
    expect(shown).toMatchObject({ isVerified: true, recoveryCodes: null });
    expect('provisioningUrl' in shown).toBe(false);
    expect(Object.keys(shown._links).sort()).toEqual(['current-identity', 'recovery-codes', 'self']);

    const fresh = await server.signIn(user);
    const before = (await wire('GET', session, { token: fresh })).body.data;
    expect(before.authQueries).toEqual([
      {
        typeId: 'MFA',
        provider: 'ziti',
        format: 'alphaNumeric',
        minLength: 4,
        maxLength: 6,
        httpMethod: 'POST',
        httpUrl: './authenticate/mfa',
        scopes: null,
        isTotpEnrolled: true,
      },
    ]);
    for (const [method, path] of [
      ['GET', identity],
      ['DELETE', mfa],
      ['GET', recoveryCodes],
    ] as const) {
      expect((await wire(method, path, { token: fresh })).status, `${method} ${path}`).toBe(401);
    }
    expect((await wire('POST', mfa, { token: fresh })).status).toBe(409);
    const answered = await wire('POST', answer, { token: fresh, body: { code: await totp.next() } });
    expect([answered.status, answered.body]).toEqual([200, empty]);
    expect(await stateOf(server, fresh)).toEqual(full);
    // A full session may prove it again.
    expect((await wire('POST', answer, { token: fresh, body: { code: await totp.next() } })).status).toBe(200);

    for (const headers of [{}, { 'mfa-validation-code': totp.wrong() }]) {
      const kept = await wire('DELETE', mfa, { token, headers, body: { code: await totp.next() } });
      expect([kept.status, kept.body.error.code]).toEqual([400, 'MFA_INVALID_TOKEN']);
    }
    const removed = await wire('DELETE', mfa, { token, headers: { 'mfa-validation-code': await totp.next() } });
    expect([removed.status, removed.body]).toEqual([200, empty]);
    expect(await stateOf(server, token)).toEqual(noFactor);
    expect((await wire('GET', mfa, { token })).status).toBe(404);
  });

  it('is enrolled inside the partial session when a policy requires it', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    await requireTotp(server, admin, user.id);
    const token = await server.signIn(user);
    expect(await stateOf(server, token)).toEqual(partial);
    expect((await server.wire('GET', onClient.identity, { token })).status).toBe(401);
    expect((await server.wire('POST', onClient.answer, { token, body: { code: '123456' } })).status).toBe(409);
    const { totp } = await enrollTotp(server.wire, token, { time });
    expect(await stateOf(server, token)).toEqual(full);
    expect((await server.wire('GET', onClient.identity, { token })).status).toBe(200);

    // Its removal leaves the policy unmet, also for a session that had proven what is gone.
    const code = await totp.next();
    await server.wire('DELETE', onClient.mfa, { token, headers: { 'mfa-validation-code': code } });
    expect(await stateOf(server, token)).toEqual(partial);
    await enrollTotp(server.wire, token, { time });
    expect(await stateOf(server, token)).toEqual(full);
  });

  it('belongs to the session that began it until it is verified', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const { wire } = server;
    const user = await server.addUser(await server.signIn());
    const [planted, own] = [await server.signIn(user), await server.signIn(user)];
    await wire('POST', onClient.mfa, { token: planted });
    const { provisioningUrl: foreign } = (await wire('GET', onClient.mfa, { token: planted })).body.data;

    for (const [method, path] of [
      ['GET', onClient.mfa],
      ['GET', onClient.qrCode],
      ['DELETE', onClient.mfa],
    ] as const) {
      expect((await wire(method, path, { token: own })).status, `${method} ${path}`).toBe(404);
    }
    const code = await readTotp(foreign, time).next();
    expect((await wire('POST', onClient.verify, { token: own, body: { code } })).status).toBe(404);

    const { totp, provisioningUrl } = await enrollTotp(wire, own, { time });
    expect(provisioningUrl).not.toBe(foreign);
    expect((await wire('POST', onClient.verify, { token: planted, body: { code } })).status).toBe(404);
    const answer = { token: planted, body: { code } };
    expect((await wire('POST', onClient.answer, answer)).body.error.code).toBe('MFA_INVALID_TOKEN');
    expect((await wire('POST', onClient.answer, { ...answer, body: { code: await totp.next() } })).status).toBe(200);
  });

  it('is required once it is enrolled, of every session, whatever the policy says', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const [older, own] = [await server.signIn(user), await server.signIn(user)];
    const enabled = async () =>
      (await server.wire('GET', `${identities}/${user.id}`, { token: admin })).body.data.isMfaEnabled;
    await server.wire('POST', onClient.mfa, { token: own });
    expect([await enabled(), await stateOf(server, older)]).toEqual([false, noFactor]);
    expect((await server.wire('DELETE', onClient.mfa, { token: own })).status).toBe(200);
    const { totp } = await enrollTotp(server.wire, own, { time });
    expect(await enabled()).toBe(true);
    expect([await stateOf(server, own), await stateOf(server, older)]).toEqual([full, partial]);
    expect(await stateOf(server, await server.signIn(user))).toEqual(partial);
    const answer = await server.wire('POST', onClient.answer, { token: older, body: { code: await totp.next() } });
    expect(answer.status).toBe(200);
    expect(await stateOf(server, older)).toEqual(full);
  });

  it('is removed by an administrator; live sessions are judged without it at their next request', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const events: unknown[] = [];
    server.controller.events.on('mfa.removed', (event) => events.push(event));
    const remove = (id: string, token = admin) => server.wire('DELETE', `${identities}/${id}/mfa`, { token });
    for (const id of [user.id, 'unknown']) {
      const answer = await remove(id);
      expect([answer.status, answer.body]).toEqual([200, empty]);
    }
    expect(events).toEqual([]);
    await enrollTotp(server.wire, await server.signIn(user), { time });
    const waiting = await server.signIn(user);
    expect(await stateOf(server, waiting)).toEqual(partial);
    expect((await remove(user.id, waiting)).status).toBe(401);
    expect((await remove(user.id)).status).toBe(200);
    expect(await stateOf(server, waiting)).toEqual(noFactor);
    expect(events).toEqual([{ identityId: user.id, by: 'administrator' }]);

    const { totp } = await enrollTotp(server.wire, waiting, { time });
    await requireTotp(server, admin, user.id);
    const other = await server.signIn(user);
    await remove(user.id);
    expect([await stateOf(server, waiting), await stateOf(server, other)]).toEqual([partial, partial]);
    const late = await server.wire('POST', onClient.answer, { token: other, body: { code: await totp.next() } });
    expect([late.status, late.body.error.code]).toEqual([409, 'MFA_NOT_ENROLLED']);
  });
});
