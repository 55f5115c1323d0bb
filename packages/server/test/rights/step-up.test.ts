import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entriesOf } from '../support/audit.ts';
import { networkClient, networkOf } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { wireOf } from '../support/request.ts';
import type { Attack, Victim } from '../support/step-up.ts';
import {
  attacks,
  authenticator,
  codeOf,
  enrollment,
  identity,
  later,
  management,
  maxAge,
  newPassword,
  refused,
} from '../support/step-up.ts';
import { enrollTotp, readTotp, testTime, totpPaths } from '../support/totp.ts';

const { answer, mfa, verify } = totpPaths('client');

describe.each(storePairs)('a stolen session on $stores', ({ open }) => {
  const time = testTime();
  let server: TestController;

  beforeAll(async () => {
    server = await startController({ ...(await open()), clock: time.clock });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const addVictim = async ({ isAdmin = true } = {}): Promise<Victim> => {
    const admin = await server.signIn();
    const user = await server.addUser(admin, { isAdmin });
    const read = async (path: string) => (await server.wire('GET', path, { token: admin })).body.data;
    const { authenticators } = await read(`${management}/identities/${user.id}`);
    const made = await server.wire('POST', `${management}/enrollments`, {
      token: admin,
      body: { method: 'ott', identityId: user.id, expiresAt: later },
    });
    return { ...user, authenticatorId: authenticators.updb.id, enrollmentId: made.body.data.id };
  };
  const steal = async (victim: Victim) => {
    const token = await server.signIn(victim);
    await time.pass(maxAge + 1);
    return token;
  };
  const attack = (token: string, victim: Victim, [, method, path, body]: Attack) =>
    server.wire(method, path(victim), { token, ...(body && { body: body(victim) }) });
  const change = (victim: Victim, token: string) =>
    server.wire('PATCH', authenticator(victim), { token, body: { password: newPassword } });

  it.each(attacks.map((given) => [given[0], given[1], given] as const))(
    'takes over no account by %s (%s)',
    async (...[, , given]) => {
      const victim = await addVictim();
      const stolen = await steal(victim);
      expect(codeOf(await attack(stolen, victim, given))).toEqual(refused);
      // The session goes on, and its owner can do it after a sign-in.
      expect((await server.wire('GET', totpPaths('client').session, { token: stolen })).status).toBe(200);
      const fresh = await server.signIn(victim);
      expect(codeOf(await attack(fresh, victim, given))).not.toEqual(refused);
      await server.signIn(victim).catch(() => undefined);
    },
  );

  it('says which proof helps, and is in the audit log once with its operation', async () => {
    const victim = await addVictim();
    const stolen = await steal(victim);
    const answers = await Promise.all([1, 2, 3].map(() => change(victim, stolen)));
    expect(answers.map(codeOf)).toEqual([refused, refused, refused]);
    expect(answers[0]?.body.error.cause).toMatchObject({ message: 'sign in again', data: { proofs: ['signIn'] } });
    // Clients take a challenge for the end of the session.
    expect(answers[0]?.headers).not.toHaveProperty('www-authenticate');
    const filter = `event = "stepUp.refused" and identityId = "${victim.id}"`;
    const apiSessionId = (await server.wire('GET', totpPaths('client').session, { token: stolen })).body.data.id;
    expect(await entriesOf(server, await server.signIn(), filter)).toMatchObject([
      { outcome: 'failure', entityId: victim.id, details: { apiSessionId, operation: 'authenticators.patch' } },
    ]);
  });

  it('changes its own password until the sign-in is older than the setting, and not a millisecond longer', async () => {
    const victim = await addVictim();
    const token = await server.signIn(victim);
    await time.pass(maxAge);
    expect((await change(victim, token)).status).toBe(200);
    await time.pass(1);
    expect(codeOf(await change(victim, token))).toEqual(refused);
  });

  it('is not newer than its sign-in after the clock was set back', async () => {
    const victim = await addVictim();
    const token = await server.signIn(victim);
    await time.pass(-maxAge - 1);
    const past = await change(victim, token);
    await time.pass(maxAge + 1);
    expect(codeOf(past)).toEqual(refused);
  });

  it('may change its identity in all but how it signs in, and what belongs to others', async () => {
    const victim = await addVictim();
    const stolen = await steal(victim);
    const other = await addVictim({ isAdmin: false });
    const ok = [
      await server.wire('PATCH', identity(victim), {
        token: stolen,
        body: { tags: { a: 1 }, authPolicyId: 'default' },
      }),
      await server.wire('PUT', identity(victim), {
        token: stolen,
        body: { name: victim.username, type: 'User', isAdmin: true },
      }),
      await change(other, stolen),
      await server.wire('DELETE', `${identity(other)}/mfa`, { token: stolen }),
    ];
    expect(ok.map(codeOf)).toEqual(ok.map(() => [200, null]));
  });

  it('does it after a code of the TOTP that was there before, not after a wrong or a used one', async () => {
    const victim = await addVictim();
    const { totp } = await enrollTotp(server.wire, await server.signIn(victim), { time });
    const token = await server.signIn(victim);
    const send = (code: string) => server.wire('POST', answer, { token, body: { code } });
    const code = await totp.next();
    expect((await send(code)).status).toBe(200);
    await time.pass(maxAge + 1);
    const before = await change(victim, token);
    expect([codeOf(before), before.body.error.cause.data.proofs]).toEqual([refused, ['code', 'signIn']]);
    for (const bad of [totp.wrong(), code]) expect(codeOf(await send(bad))).toEqual([400, 'MFA_INVALID_TOKEN']);
    expect(codeOf(await change(victim, token))).toEqual(refused);
    expect(codeOf(await server.wire('DELETE', `${identity(victim)}/mfa`, { token }))).toEqual(refused);
    expect((await send(await totp.next())).status).toBe(200);
    expect((await change(victim, token)).status).toBe(200);
    expect((await server.wire('DELETE', `${identity(victim)}/mfa`, { token })).status).toBe(200);
  });

  it('does not count a code of a TOTP that is gone', async () => {
    const victim = await addVictim();
    const token = await server.signIn(victim);
    const { totp } = await enrollTotp(server.wire, token, { time });
    await time.pass(maxAge - 60_000);
    expect((await server.wire('POST', answer, { token, body: { code: await totp.next() } })).status).toBe(200);
    const admin = await server.signIn();
    expect((await server.wire('DELETE', `${identity(victim)}/mfa`, { token: admin })).status).toBe(200);
    await time.pass(61_000);
    expect(codeOf(await server.wire('POST', mfa, { token }))).toEqual(refused);
    expect(codeOf(await change(victim, token))).toEqual(refused);
  });

  it.each([true, false])('enrolls no first TOTP, by an administrator: %s', async (isAdmin) => {
    const victim = await addVictim({ isAdmin });
    const stolen = await steal(victim);
    expect(codeOf(await server.wire('POST', mfa, { token: stolen }))).toEqual(refused);
    await server.wire('POST', answer, { token: stolen, body: { code: '000000' } });
    expect(codeOf(await server.wire('POST', mfa, { token: stolen }))).toEqual(refused);
    // The owner still signs in with the password alone.
    const session = await server.wire('GET', totpPaths('client').session, { token: await server.signIn(victim) });
    expect(session.body.data.authQueries).toEqual([]);
  });

  it('verifies an enrollment that it has begun in time, and none that was left', async () => {
    const victim = await addVictim({ isAdmin: false });
    const token = await server.signIn(victim);
    await time.pass(maxAge);
    expect((await server.wire('POST', mfa, { token })).status).toBe(201);
    const { provisioningUrl } = (await server.wire('GET', mfa, { token })).body.data;
    const totp = readTotp(provisioningUrl, time);
    await time.pass(maxAge + 1);
    expect(codeOf(await server.wire('POST', verify, { token, body: { code: await totp.next() } }))).toEqual(refused);
    await time.pass(-2);
    expect((await server.wire('POST', verify, { token, body: { code: await totp.next() } })).status).toBe(200);
  });

  it('lets a partial session enroll the TOTP that its policy requires only soon after the sign-in', async () => {
    const admin = await server.signIn();
    const victim = await addVictim({ isAdmin: false });
    const policy = await server.wire('GET', `${management}/auth-policies/default`, { token: admin });
    const { primary } = policy.body.data;
    const body = { name: `totp of ${victim.id}`, primary, secondary: { requireTotp: true } };
    const authPolicyId = (await server.wire('POST', `${management}/auth-policies`, { token: admin, body })).body.data
      .id;
    expect((await server.wire('PATCH', identity(victim), { token: admin, body: { authPolicyId } })).status).toBe(200);
    const stolen = await steal(victim);
    expect(codeOf(await server.wire('POST', mfa, { token: stolen }))).toEqual(refused);
    await enrollTotp(server.wire, await server.signIn(victim), { time });
  });

  it('changes its password with the present one at any age, and not with another', async () => {
    const victim = await addVictim({ isAdmin: false });
    const token = await steal(victim);
    const path = `/edge/client/v1/current-identity/authenticators/${victim.authenticatorId}`;
    const send = (currentPassword: string) =>
      server.wire('PATCH', path, { token, body: { currentPassword, password: newPassword } });
    expect(codeOf(await send('a guess of mine'))).toEqual([401, 'UNAUTHORIZED']);
    expect((await send(victim.password)).status).toBe(200);
  });

  it('of a certificate enrolls a first TOTP on a connection with the certificate, and nowhere else', async () => {
    const admin = await server.signIn();
    const victim = await addVictim({ isAdmin: true });
    const client = networkClient(networkOf(server), victim.id, {
      notBefore: new Date(time.now() - 60_000),
      notAfter: new Date(time.now() + 86_400_000),
    });
    const certPem = client.cert.split(/(?<=-----END CERTIFICATE-----\n)/)[0];
    const body = { method: 'cert', identityId: victim.id, certPem };
    expect((await server.wire('POST', `${management}/authenticators`, { token: admin, body })).status).toBe(201);
    const owner = wireOf(server, client);
    const { token } = (await owner('POST', '/edge/client/v1/authenticate?method=cert', { body: {} })).body.data;
    await time.pass(maxAge + 1);
    expect(codeOf(await server.wire('POST', mfa, { token }))).toEqual(refused);
    const outsider = wireOf(server, networkClient(networkOf(server), victim.id));
    expect(codeOf(await outsider('POST', mfa, { token }))).toEqual(refused);
    const { totp } = await enrollTotp(owner, token, { time });
    await time.pass(maxAge + 1);
    // Now the certificate is one of two factors.
    expect(codeOf(await owner('DELETE', `${identity(victim)}/mfa`, { token }))).toEqual(refused);
    expect((await owner('POST', answer, { token, body: { code: await totp.next() } })).status).toBe(200);
    expect((await owner('DELETE', `${identity(victim)}/mfa`, { token })).status).toBe(200);
  });

  it('sees no token with which it could enroll, or use a newer session of its identity', async () => {
    const victim = await addVictim();
    const stolen = await steal(victim);
    const fresh = await server.signIn(victim);
    const read = async (token: string) => {
      const get = async (path: string) => (await server.wire('GET', path, { token })).body.data;
      const sessions = await get(
        `${management}/api-sessions?limit=-1&filter=${encodeURIComponent(`identity = "${victim.id}"`)}`,
      );
      return [
        (await get('/edge/client/v1/current-identity')).enrollment.ott.token,
        (await get(identity(victim))).enrollment.ott.jwt,
        (await get(enrollment(victim))).token,
        (await get(`${identity(victim)}/enrollments`))[0].jwt,
        sessions.find((one: { token: string }) => one.token === (token === fresh ? stolen : fresh))?.token ?? '',
      ].map((secret) => secret !== '');
    };
    expect(await read(stolen)).toEqual([false, false, false, false, false]);
    expect(await read(fresh)).toEqual([true, true, true, true, true]);
  });
});
