import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import type { Network, NetworkUser } from '../support/network.ts';
import { createNetwork } from '../support/network.ts';
import { enrollTotp, testTime } from '../support/totp.ts';

const second = 1_000;

describe.each(storePairs)('posture on $stores', ({ open }) => {
  const time = testTime();
  let server: TestController;
  let network: Network;
  beforeAll(async () => {
    server = await startController({ ...(await open()), clock: time.clock, totpAttempts: 1_000 });
    network = await createNetwork(server);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A user who may dial a service when the device passes a check. */
  async function guarded(check: object) {
    const user = await network.addUser();
    const serviceId = await network.addService();
    const checkId = await network.addCheck(check);
    const roles = { identityRoles: [`@${user.id}`], serviceRoles: [`@${serviceId}`] };
    const policyId = await network.addPolicy({ ...roles, postureCheckRoles: [`@${checkId}`] });
    return { user, serviceId, checkId, policyId };
  }
  const openSession = (user: NetworkUser, serviceId: string) => network.as(user, 'POST', '/sessions', { serviceId });
  const report = (user: NetworkUser, body: object) =>
    network.as(user, 'POST', Array.isArray(body) ? '/posture-response-bulk' : '/posture-response', body);
  const sessionIds = async (user: NetworkUser) =>
    (await network.as(user, 'GET', '/sessions')).body.data.map(({ id }: { id: string }) => id);
  const queryOf = async (user: NetworkUser) => {
    const [service] = (await network.as(user, 'GET', '/services')).body.data;
    const [policy] = service.postureQueries;
    return { policyPasses: policy.isPassing, ...policy.postureQueries[0] };
  };
  const lastChange = async (user: NetworkUser) =>
    Date.parse((await network.as(user, 'GET', '/current-api-session/service-updates')).body.data.lastChangeAt);

  const program = { osType: 'Linux', path: '/usr/bin/agent' };
  const kinds: readonly (readonly [string, object, object, object])[] = [
    [
      'OS',
      { operatingSystems: [{ type: 'Linux', versions: ['>=6.0.0'] }] },
      { type: 'linux', version: '6.1.0', build: 'a' },
      { type: 'linux', version: '5.1.0' },
    ],
    ['DOMAIN', { domains: ['example.org'] }, { domain: 'EXAMPLE.org' }, { domain: 'example.com' }],
    ['MAC', { macAddresses: ['00:1b:44:11:3a:b7'] }, { macAddresses: ['001B44113AB7'] }, { macAddresses: [] }],
    [
      'PROCESS',
      { process: { ...program, hashes: ['AB'] } },
      { path: program.path, isRunning: true, hash: 'ab' },
      { path: program.path, isRunning: false, hash: 'ab' },
    ],
    [
      'PROCESS_MULTI',
      { semantic: 'AllOf', processes: [{ ...program, hashes: ['aB'], signerFingerprints: ['Cd'] }] },
      { typeId: 'PROCESS', path: program.path, isRunning: true, hash: 'Ab', signerFingerprints: ['cD'] },
      { typeId: 'PROCESS', path: program.path },
    ],
  ];

  it.each(kinds)(
    '%s: a session needs an answer that passes, and ends with one that does not',
    async (typeId, check, good, bad) => {
      const { user, serviceId, checkId, policyId } = await guarded({ typeId, ...check });
      const failing = { isPassing: false, timeout: -1, timeoutRemaining: -1 };
      expect(await queryOf(user)).toMatchObject({ id: checkId, queryType: typeId, policyPasses: false, ...failing });
      const refused = await openSession(user, serviceId);
      expect(refused.status).toBe(409);
      expect(refused.body.error).toMatchObject({
        code: 'INVALID_POSTURE',
        cause: { data: { [policyId]: [{ id: checkId, typeId, isPassing: false }] }, message: expect.any(String) },
      });
      const before = await lastChange(user);
      const answered = await report(user, { id: checkId, typeId, ...good });
      expect([answered.status, answered.body]).toEqual([201, { data: { services: [] }, meta: {} }]);
      expect(await queryOf(user)).toMatchObject({ isPassing: true, policyPasses: true, timeoutRemaining: -1 });
      const passed = await lastChange(user);
      expect(passed).toBeGreaterThan(before);
      const { body } = await openSession(user, serviceId);
      const { id } = body.data;
      expect(await sessionIds(user)).toEqual([id]);

      // The same answer again changes nothing.
      await report(user, [{ id: checkId, typeId, ...good }]);
      expect(await lastChange(user)).toBe(passed);
      expect(await sessionIds(user)).toEqual([id]);

      // What was taken away does not come back, even if nobody has looked.
      await report(user, { id: checkId, typeId, ...bad });
      await report(user, { id: checkId, typeId, ...good });
      expect(await sessionIds(user)).toEqual([]);
      expect(await lastChange(user)).toBe(passed);
      const { id: next } = (await openSession(user, serviceId)).body.data;
      expect(next).not.toBe(id);

      await report(user, { id: checkId, typeId, ...bad });
      expect(await lastChange(user)).toBeGreaterThan(passed);
      expect((await network.send('GET', '/sessions?limit=500')).map((each: { id: string }) => each.id)).not.toContain(
        next,
      );
      expect(await sessionIds(user)).toEqual([]);
      expect((await openSession(user, serviceId)).status).toBe(409);
      // Another answer does not bring it back.
      await report(user, { id: checkId, typeId, ...good });
      expect(await sessionIds(user)).toEqual([]);
      expect((await openSession(user, serviceId)).body.data.id).not.toBe(id);
    },
  );

  it('counts for one API session, and ends with it', async () => {
    const { user, serviceId, checkId } = await guarded({ typeId: 'DOMAIN', domains: ['a'] });
    const second = { ...user, token: await network.signIn(user) };
    await report(user, { id: checkId, typeId: 'DOMAIN', domain: 'a' });
    expect((await openSession(user, serviceId)).status).toBe(201);
    expect((await openSession(second, serviceId)).status).toBe(409);
    const data = await network.send('GET', `/identities/${user.id}/posture-data`);
    expect(data.domain).toMatchObject({ domain: 'a', postureCheckId: checkId, timedOut: false });
    await network.as(user, 'DELETE', '/current-api-session');
    expect(await sessionIds(second)).toEqual([]);
    expect(await network.send('GET', `/identities/${user.id}/posture-data`)).toMatchObject({
      domain: { domain: null },
    });
  });

  it('lets one policy pass for another, and wants all checks of one', async () => {
    const { user, serviceId, checkId, policyId } = await guarded({ typeId: 'DOMAIN', domains: ['a'] });
    const other = await network.addCheck({ typeId: 'MAC', macAddresses: ['00:00:00:00:00:01'] });
    await network.send('PATCH', `/service-policies/${policyId}`, { postureCheckRoles: [`@${checkId}`, `@${other}`] });
    await report(user, { id: checkId, typeId: 'DOMAIN', domain: 'a' });
    expect((await openSession(user, serviceId)).status).toBe(409);
    const roles = { identityRoles: [`@${user.id}`], serviceRoles: [`@${serviceId}`] };
    const plain = await network.addPolicy(roles);
    const opened = await openSession(user, serviceId);
    expect(opened.status).toBe(201);
    const { servicePolicies } = (await network.as(user, 'GET', `/sessions/${opened.body.data.id}`)).body.data;
    expect(servicePolicies.map(({ id }: { id: string }) => id)).toEqual([plain]);
    await network.send('DELETE', `/service-policies/${plain}`);
    expect(await sessionIds(user)).toEqual([]);
    expect((await openSession(user, serviceId)).status).toBe(409);
  });

  it('shows administrators what was refused, the newest of many', async () => {
    const { user, serviceId, checkId, policyId } = await guarded({ typeId: 'DOMAIN', domains: ['a', 'b'] });
    await report(user, { id: checkId, typeId: 'DOMAIN', domain: 'c' });
    const { apiSessionId } = { apiSessionId: (await network.as(user, 'GET', '/current-api-session')).body.data.id };
    await openSession(user, serviceId);
    const path = `/identities/${user.id}/failed-service-requests`;
    const name = async (of: string) => (await network.send('GET', of)).name;
    const refusal = {
      ...{ apiSessionId, serviceId, serviceName: await name(`/services/${serviceId}`), sessionType: 'Dial' },
      when: new Date(time.now()).toISOString(),
      policyFailures: [
        {
          ...{ policyId, policyName: await name(`/service-policies/${policyId}`) },
          checks: [
            {
              ...{ postureCheckId: checkId, postureCheckName: await name(`/posture-checks/${checkId}`) },
              ...{ postureCheckType: 'DOMAIN', actualValue: 'c', expectedValue: ['a', 'b'] },
            },
          ],
        },
      ],
    };
    expect(await network.send('GET', path)).toEqual([refusal]);
    for (let at = 0; at < 110; at += 1) {
      await time.pass(1);
      await openSession(user, serviceId);
    }
    const kept = await network.send('GET', path);
    expect(kept.length).toBeGreaterThan(20);
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(JSON.stringify(kept).length).toBeLessThan(17_000);
    expect(kept.at(-1)).toEqual({ ...refusal, when: new Date(time.now()).toISOString() });
    await network.as(user, 'DELETE', '/current-api-session');
    expect(await network.send('GET', path)).toEqual([]);
  });

  it('shows administrators what clients have said', async () => {
    const user = await network.addUser();
    const own = { ...user, token: await network.signIn(user, { sdkInfo: { type: 'a', version: '1' } }) };
    const { totp } = await enrollTotp(server.wire, own.token, { time });
    const passedAt = new Date(time.now()).toISOString();
    await time.pass(second);
    await report(own, [
      { id: 'os', typeId: 'OS', type: 'Linux', version: '6.1.0', build: 'b' },
      { id: 'mac', typeId: 'MAC', macAddresses: ['00-1B-44-11-3A-B7', 'x'] },
      { id: 'p', typeId: 'PROCESS', path: '/a', isRunning: true, hash: 'ff', signerFingerprints: ['ee'] },
      { id: 'q', typeId: 'PROCESS' },
      { id: 'p', typeId: 'PROCESS', path: '/a', isRunning: false },
      { id: 'x', typeId: 'ENDPOINT_STATE', woken: true, unlocked: false },
    ]);
    const base = { timedOut: false, lastUpdatedAt: new Date(time.now()).toISOString() };
    const { id: apiSessionId } = (await network.as(own, 'GET', '/current-api-session')).body.data;
    const { apiSessionPostureData, ...device } = await network.send('GET', `/identities/${user.id}/posture-data`);
    expect(device).toEqual({
      os: { ...base, postureCheckId: 'os', type: 'Linux', version: '6.1.0', build: 'b' },
      mac: { ...base, postureCheckId: 'mac', addresses: ['001b44113ab7', ''] },
      domain: { postureCheckId: '', timedOut: false, lastUpdatedAt: null, domain: null },
      processes: [
        { ...base, postureCheckId: 'q', isRunning: false, signerFingerprints: [] },
        { ...base, postureCheckId: 'p', isRunning: false, signerFingerprints: [] },
      ],
    });
    expect(apiSessionPostureData[apiSessionId]).toEqual({
      mfa: { apiSessionId, passedMfa: true, passedOnWake: true, passedOnUnlock: true, passedAt },
      endpointState: { wokenAt: base.lastUpdatedAt, unlockedAt: null },
      sdkInfo: { type: 'a', version: '1' },
    });
    await time.pass(300 * second);
    const later = await network.send('GET', `/identities/${user.id}/posture-data`);
    expect(later.apiSessionPostureData[apiSessionId].mfa).toMatchObject({ passedOnWake: false, passedOnUnlock: true });
    const code = await totp.next();
    expect((await network.as(own, 'POST', '/authenticate/mfa', { code })).status).toBe(200);
    const answered = await network.send('GET', `/identities/${user.id}/posture-data`);
    expect(answered.apiSessionPostureData[apiSessionId].mfa).toMatchObject({ passedOnWake: true });
  });

  describe('a posture response', () => {
    it.each([
      [{ id: 'a', typeId: 'OS', type: 'Linux' }, 'COULD_NOT_VALIDATE', 'version'],
      [{ id: 'a', typeId: 'DOMAIN' }, 'COULD_NOT_VALIDATE', 'domain'],
      [{ id: 'a', typeId: 'MAC' }, 'COULD_NOT_VALIDATE', 'macAddresses'],
      [{ id: 'a' }, 'COULD_NOT_VALIDATE', 'typeId'],
      [{ id: 'a', typeId: 'MFA' }, 'COULD_NOT_VALIDATE', 'typeId'],
      [{ typeId: 'DOMAIN', domain: 'a' }, 'COULD_NOT_VALIDATE', 'id'],
      [{ id: 'a', typeId: 'DOMAIN', domain: 1 }, 'COULD_NOT_PARSE_BODY', undefined],
      [
        [
          { id: 'a', typeId: 'DOMAIN', domain: 'kept' },
          { id: 'a', typeId: 'DOMAIN' },
        ],
        'COULD_NOT_VALIDATE',
        '1.domain',
      ],
      [{ id: 'a', typeId: 'DOMAIN', domain: 'x'.repeat(501) }, 'COULD_NOT_VALIDATE', 'domain'],
      [Array.from({ length: 201 }, () => ({ id: 'a', typeId: 'DOMAIN', domain: 'a' })), 'COULD_NOT_VALIDATE', 'body'],
    ])('%# is refused when it is wrong, and changes nothing', async (body, code, field) => {
      const user = await network.addUser();
      const { status, body: refused } = await report(user, body);
      expect([status, refused.error.code, refused.error.cause?.field]).toEqual([400, code, field]);
      const { domain } = await network.send('GET', `/identities/${user.id}/posture-data`);
      expect(domain.domain).toBeNull();
    });

    it('may be empty, and name a check that does not exist', async () => {
      const user = await network.addUser();
      for (const body of [[], { id: 'nope', typeId: 'PROCESS' }, { id: '', typeId: 'ENDPOINT_STATE' }]) {
        expect((await report(user, body)).status).toBe(201);
      }
      expect((await server.wire('POST', '/edge/client/v1/posture-response', { body: {} })).status).toBe(401);
    });

    it('cannot fill the store', async () => {
      const user = await network.addUser();
      const processes = (from: number) =>
        Array.from({ length: 100 }, (_, at) => ({ id: `${from + at}`, typeId: 'PROCESS', path: 'x'.repeat(400) }));
      expect((await report(user, processes(0))).status).toBe(201);
      const { status, body } = await report(user, processes(100));
      expect([status, body.error.code, body.error.cause.field]).toEqual([400, 'COULD_NOT_VALIDATE', 'body']);
      const known = await network.send('GET', `/identities/${user.id}/posture-data`);
      expect(known.processes).toHaveLength(100);
    });

    it('loses nothing when many come at once', async () => {
      const user = await network.addUser();
      const answers = Array.from({ length: 15 }, (_, at) =>
        report(user, { id: `${at}`, typeId: 'PROCESS', path: `/${at}` }),
      );
      expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([201]));
      const { processes } = await network.send('GET', `/identities/${user.id}/posture-data`);
      expect(processes).toHaveLength(15);
    });
  });

  describe('an MFA check', () => {
    async function enrolled(check: object = {}) {
      const guard = await guarded({ typeId: 'MFA', ...check });
      const { totp } = await enrollTotp(server.wire, guard.user.token, { time });
      const answer = async () => {
        const { status } = await network.as(guard.user, 'POST', '/authenticate/mfa', { code: await totp.next() });
        expect(status).toBe(200);
      };
      return { ...guard, totp, answer };
    }

    it('needs a TOTP of the identity, and a code of it in this API session', async () => {
      const { user, serviceId } = await guarded({ typeId: 'MFA' });
      expect(await queryOf(user)).toMatchObject({ isPassing: false, promptOnWake: false, promptOnUnlock: false });
      expect((await openSession(user, serviceId)).status).toBe(409);
      const before = await lastChange(user);
      const { totp } = await enrollTotp(server.wire, user.token, { time });
      expect(await lastChange(user)).toBeGreaterThan(before);
      const opened = await openSession(user, serviceId);
      expect(opened.status).toBe(201);
      const second = { ...user, token: await network.signIn(user) };
      // A partial session sees no service.
      expect((await network.as(second, 'GET', '/services')).status).toBe(401);
      expect((await openSession(second, serviceId)).status).toBe(401);
      expect((await network.as(second, 'POST', '/authenticate/mfa', { code: await totp.next() })).status).toBe(200);
      expect((await openSession(second, serviceId)).status).toBe(201);
      expect(await sessionIds(user)).toHaveLength(2);
      expect(opened.body.data.id).toEqual(expect.any(String));
    });

    it('ends with its timeout, until another code is sent', async () => {
      const { user, serviceId, answer } = await enrolled({ timeoutSeconds: 120 });
      const { id } = (await openSession(user, serviceId)).body.data;
      const passed = await queryOf(user);
      expect(passed).toMatchObject({ isPassing: true, timeout: 120, policyPasses: true });
      const changed = await lastChange(user);
      await time.pass(Date.parse(passed.timeoutAt) - time.now() - 1);
      expect(await sessionIds(user)).toEqual([id]);
      expect(await queryOf(user)).toMatchObject({ isPassing: true, timeoutRemaining: 1 });
      expect(await lastChange(user)).toBe(changed);
      await time.pass(1);
      expect(await queryOf(user)).toMatchObject({ isPassing: false, timeoutRemaining: 0, timeoutAt: passed.timeoutAt });
      const ended = await lastChange(user);
      expect(ended).toBeGreaterThanOrEqual(Date.parse(passed.timeoutAt));
      expect((await openSession(user, serviceId)).status).toBe(409);
      // The session itself goes on.
      expect((await network.as(user, 'GET', '/current-api-session')).body.data.authQueries).toEqual([]);
      await answer();
      expect(await lastChange(user)).toBeGreaterThan(ended);
      expect(await queryOf(user)).toMatchObject({ isPassing: true, updatedAt: new Date(time.now()).toISOString() });
      // The former session has ended, although nobody has looked in between.
      expect(await sessionIds(user)).toEqual([]);
      expect((await openSession(user, serviceId)).body.data.id).not.toBe(id);
    });

    it('asks again five minutes after the device woke, and says for which services', async () => {
      const { user, serviceId, answer } = await enrolled({ timeoutSeconds: 3_600, promptOnWake: true });
      await openSession(user, serviceId);
      await time.pass(second);
      const woken = { id: 'x', typeId: 'ENDPOINT_STATE', woken: true };
      const other = await report(user, { ...woken, woken: false, unlocked: true });
      expect(other.body.data).toEqual({ services: [] });
      const { name } = await network.send('GET', `/services/${serviceId}`);
      const shortened = { id: serviceId, name, postureQueryType: 'MFA', timeout: 3_600, timeoutRemaining: 300 };
      expect((await report(user, woken)).body.data).toEqual({ services: [shortened] });
      expect((await report(user, woken)).body.data).toEqual({ services: [] });
      expect(await queryOf(user)).toMatchObject({ timeout: 3_600, timeoutRemaining: 300, promptOnWake: true });
      await time.pass(200 * second);
      // Waking again does not give more time.
      expect((await report(user, woken)).body.data).toEqual({ services: [] });
      await time.pass(99 * second);
      expect(await sessionIds(user)).toHaveLength(1);
      await time.pass(second);
      expect(await sessionIds(user)).toEqual([]);
      expect((await openSession(user, serviceId)).status).toBe(409);
      await answer();
      expect((await openSession(user, serviceId)).status).toBe(201);
      expect(await queryOf(user)).toMatchObject({ timeoutRemaining: 3_600 });
    });

    it('fails as soon as the TOTP is removed, by its owner or by an administrator', async () => {
      for (const remove of ['owner', 'administrator']) {
        const { user, serviceId, totp } = await enrolled();
        await openSession(user, serviceId);
        const changed = await lastChange(user);
        if (remove === 'owner') {
          const headers = { 'mfa-validation-code': await totp.next() };
          const path = '/edge/client/v1/current-identity/mfa';
          expect((await server.wire('DELETE', path, { token: user.token, headers })).status).toBe(200);
        } else await network.send('DELETE', `/identities/${user.id}/mfa`);
        expect((await openSession(user, serviceId)).status).toBe(409);
        expect(await sessionIds(user)).toEqual([]);
        expect(await queryOf(user)).toMatchObject({ isPassing: false });
        expect(await lastChange(user)).toBeGreaterThan(changed);
      }
    });

    it('counts again at once when an administrator changes it', async () => {
      const { user, serviceId, checkId } = await enrolled({ timeoutSeconds: 120 });
      const { id } = (await openSession(user, serviceId)).body.data;
      await time.pass(60 * second);
      const patch = (body: object) => network.send('PATCH', `/posture-checks/${checkId}`, { typeId: 'MFA', ...body });
      await patch({ timeoutSeconds: 90 });
      expect(await sessionIds(user)).toEqual([id]);
      await patch({ timeoutSeconds: 60 });
      await patch({ timeoutSeconds: 120 });
      // What was taken away does not come back.
      expect(await sessionIds(user)).toEqual([]);
      expect((await openSession(user, serviceId)).status).toBe(201);
    });
  });
});
