import { describe, expect, inject, it } from 'vitest';
import { addPolicy, addUserUnder, authPolicies as policies, requireTotp } from '../support/auth-policies.ts';
import { everyStorePair, startController } from '../support/controller.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshRedis } from '../support/redis.ts';
import type { WireAnswer } from '../support/request.ts';

const identities = '/edge/management/v1/identities';
const apiSessions = '/edge/management/v1/api-sessions';
const clientSession = '/edge/client/v1/current-api-session';
const managementSession = '/edge/management/v1/current-api-session';

const mfaQuery = {
  typeId: 'MFA',
  provider: 'ziti',
  format: 'alphaNumeric',
  minLength: 4,
  maxLength: 6,
  httpMethod: 'POST',
  httpUrl: './authenticate/mfa',
  scopes: null,
  isTotpEnrolled: false,
};

function expectUnauthorizedWithoutChallenge({ status, body, headers }: WireAnswer): void {
  expect([status, body.error.code, 'cause' in body.error]).toEqual([401, 'UNAUTHORIZED', false]);
  expect(headers['www-authenticate']).toBeUndefined();
}

describe.each(everyStorePair)('API sessions under an auth policy on $stores', ({ open }) => {
  it('become partial at the next request when it asks for TOTP, and full again when it no longer does', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const id = await addPolicy(server, token, { name: 'with TOTP' });
    const user = await addUserUnder(server, token, { authPolicyId: id, isAdmin: true });
    const own = await server.signIn(user);
    const secured = ['/edge/client/v1/current-identity', '/edge/management/v1/current-identity', identities, policies];
    const full = { authQueries: [], isMfaRequired: false, isMfaComplete: false };
    const partial = { authQueries: [mfaQuery], isMfaRequired: true, isMfaComplete: false };
    const shown = async () => {
      const answer = await server.wire(
        'GET',
        `${apiSessions}?filter=${encodeURIComponent(`identity = "${user.id}"`)}`,
        {
          token,
        },
      );
      return answer.body.data;
    };
    for (const isRequired of [false, true, false, true]) {
      await requireTotp(server, token, { id, isRequired });
      const expected = isRequired ? partial : full;
      for (const path of [clientSession, managementSession]) {
        const current = await server.wire('GET', path, { token: own });
        expect([current.status, current.body.data]).toMatchObject([200, expected]);
      }
      for (const path of secured) {
        const answer = await server.wire('GET', path, { token: own });
        if (isRequired) expectUnauthorizedWithoutChallenge(answer);
        else expect(answer.status, path).toBe(200);
      }
      expect(await shown()).toMatchObject([expected]);
      const filter = encodeURIComponent(`identity = "${user.id}" and mfaRequired = ${isRequired}`);
      const found = await server.wire('GET', `${apiSessions}?filter=${filter}`, { token });
      expect(found.body.data).toHaveLength(1);
    }
    const again = await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: user });
    expect([again.status, again.body.data]).toMatchObject([200, partial]);
    expect(await shown()).toHaveLength(2);
    const [admin] = (await server.wire('GET', `${apiSessions}?sort=createdAt`, { token })).body.data;
    expect(admin).toMatchObject(full);
    const moved = await server.wire('PATCH', `${identities}/${user.id}`, { token, body: { authPolicyId: 'default' } });
    expect(moved.status).toBe(200);
    expect((await server.wire('GET', identities, { token: own })).status).toBe(200);
  });

  it('of passwords are neither opened nor worth anything while it allows no passwords', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const id = await addPolicy(server, token, { name: 'no passwords' });
    const user = await addUserUnder(server, token, { authPolicyId: id });
    const own = await server.signIn(user);
    const allow = async (allowed: boolean) => {
      const answer = await server.wire('PATCH', `${policies}/${id}`, {
        token,
        body: { primary: { updb: { allowed } } },
      });
      expect(answer.status).toBe(200);
    };
    const signIn = () => server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: user });
    await allow(false);
    for (const path of [clientSession, managementSession]) {
      expect((await server.wire('GET', path, { token: own })).status).toBe(401);
    }
    const refused = await signIn();
    expect([refused.status, refused.body.error.code, 'cause' in refused.body.error]).toEqual([
      401,
      'INVALID_AUTH',
      false,
    ]);
    expect(refused.headers['svc-session']).toBeUndefined();
    await allow(true);
    expect((await server.wire('GET', clientSession, { token: own })).status).toBe(200);
    expect((await signIn()).status).toBe(200);
    const left = await server.wire('GET', `${apiSessions}?filter=${encodeURIComponent(`identity = "${user.id}"`)}`, {
      token,
    });
    expect(left.body.meta.pagination.totalCount).toBe(2);
  });
});

it('on PostgreSQL and Redis, API sessions are judged by a change made on another controller at the next request', async () => {
  await using first = await startController({
    databaseUrl: await freshDatabase(inject('postgresUrl')),
    redisUrl: await freshRedis(inject('redisUrl')),
  });
  await using second = await startController(first.options);
  const token = await first.signIn();
  const id = await addPolicy(first, token, { name: 'shared' });
  const user = await addUserUnder(first, token, { authPolicyId: id, isAdmin: true });
  const own = await second.signIn(user);
  for (const isRequired of [true, false, true, false]) {
    await requireTotp(first, token, { id, isRequired });
    const use = await second.wire('GET', identities, { token: own });
    if (isRequired) expectUnauthorizedWithoutChallenge(use);
    else expect(use.status).toBe(200);
    const { data } = (await second.wire('GET', clientSession, { token: own })).body;
    expect(data.authQueries).toEqual(isRequired ? [mfaQuery] : []);
  }
});
