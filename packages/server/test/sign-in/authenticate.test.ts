import { describe, expect, it } from 'vitest';
import { addPolicy, addUserUnder, authPolicies } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { useSlowHashes } from '../support/hash-cost.ts';
import { sql } from '../support/sql.ts';

const paths = ['/edge/client/v1', '/edge/management/v1', '/edge/v1', ''];
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** So that the next requests come at once, and not one TLS handshake after the other. */
const openConnections = ({ wire }: TestController, count: number) =>
  Promise.all(Array.from({ length: count }, () => wire('GET', '/version')));

describe.each(storePairs)('authenticate on $stores', ({ open }) => {
  it('opens a full API session on both APIs, below every base path', async () => {
    await using server = await startController(await open());
    const tokens = new Set<string>();
    for (const base of paths) {
      const answer = await server.wire('POST', `${base}/authenticate?method=password`, { body: adminCredentials });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json');
      const { data, meta } = answer.body;
      expect(meta).toEqual({});
      expect(data.token).toMatch(uuid);
      expect(data.id).toMatch(/^c[0-9a-z]{24}$/);
      expect(answer.headers['svc-session']).toBe(data.token);
      expect(answer.headers['expiration-seconds']).toBe('1800');
      expect(answer.headers['ziti-instance-id']).toMatch(/./);
      expect(data.expirationSeconds).toBe(1800);
      expect(Date.parse(data.expiresAt) - Date.parse(data.lastActivityAt)).toBe(1_800_000);
      for (const field of ['createdAt', 'updatedAt', 'lastActivityAt', 'cachedLastActivityAt', 'expiresAt']) {
        expect(data[field]).toMatch(rfc3339);
      }
      expect(data.authQueries).toEqual([]);
      expect(data.configTypes).toEqual([]);
      expect(data.ipAddress).toBe('127.0.0.1');
      expect(data.isMfaRequired).toBe(false);
      expect(data.isMfaComplete).toBe(false);
      expect(data._links.sessions.href).toBe(`./api-sessions/${data.id}/sessions`);
      expect(data.identity.entity).toBe('identities');
      expect(data.identity._links['auth-policies'].href).toBe('./auth-policies/default');
      expect(Object.keys(data.identity._links)).toHaveLength(11);
      tokens.add(data.token);
    }
    expect(tokens.size).toBe(paths.length);
  });

  it('responds with JSON whatever a client accepts; other operations refuse other types', async () => {
    await using server = await startController(await open());
    for (const base of paths) {
      const path = `${base}/authenticate?method=password`;
      for (const accept of ['text/html', 'image/png, application/pkcs7-mime', 'nonsense']) {
        const signedIn = await server.wire('POST', path, { body: adminCredentials, headers: { accept } });
        expect([signedIn.status, signedIn.headers['content-type']], accept).toEqual([200, 'application/json']);
        const token = signedIn.body.data.token;
        const body = { code: '123456' };
        const mfa = await server.wire('POST', `${base}/authenticate/mfa`, { token, body, headers: { accept } });
        expect([mfa.status, mfa.body.error.cause.field], accept).toEqual([406, 'Accept']);
      }
      const body = { ...adminCredentials, password: 'not the password' };
      expect((await server.wire('POST', path, { body, headers: { accept: 'text/html' } })).status).toBe(401);
    }
  });

  it('answers wrong password, unknown user and disabled identity alike', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    await server.wire('POST', `/edge/management/v1/identities/${user.id}/disable`, {
      token: admin,
      body: { durationMinutes: 5 },
    });
    const attempts = [
      { username: adminCredentials.username, password: 'not the password' },
      { username: 'nobody-has-this-name', password: 'not the password' },
      { username: user.username, password: user.password },
    ];
    for (const body of attempts) {
      const answer = await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body });
      expect(answer.status).toBe(401);
      const { requestId, ...error } = answer.body.error;
      expect(requestId).toMatch(/^[0-9A-Za-z.-]{9,10}$/);
      expect(error).toEqual({ code: 'INVALID_AUTH', message: 'The authentication request failed' });
      expect(answer.headers['www-authenticate']).toBeUndefined();
    }
    await server.wire('POST', `/edge/management/v1/identities/${user.id}/enable`, { token: admin });
    expect(await server.signIn(user)).toMatch(uuid);
  });

  it('never adopts a token that the client brings', async () => {
    await using server = await startController(await open());
    const first = await server.signIn();
    const answer = await server.wire('POST', '/edge/client/v1/authenticate?method=password', {
      body: adminCredentials,
      token: first,
    });
    expect(answer.body.data.token).not.toBe(first);
    const old = await server.wire('GET', '/edge/client/v1/current-api-session', { token: first });
    expect(old.status).toBe(200);
  });

  it('keeps what the client says of itself and shows it on the identity', async () => {
    await using server = await startController(await open());
    const envInfo = { arch: 'x64', os: 'linux', hostname: 'laptop' };
    const sdkInfo = { appId: 'test', type: 'ts' };
    const { body } = await server.wire('POST', '/edge/client/v1/authenticate?method=password', {
      body: { ...adminCredentials, envInfo, sdkInfo, configTypes: ['all', 'unknown'] },
    });
    expect(body.data.configTypes).toEqual(['all']);
    const token = await server.signIn();
    const identity = await server.wire('GET', `/edge/management/v1/identities/${body.data.identityId}`, { token });
    expect(identity.body.data).toMatchObject({ envInfo, sdkInfo });
  });
});

describe('authenticate, bad requests', () => {
  const cases = [
    { what: 'no method', query: '', body: adminCredentials, code: 'COULD_NOT_VALIDATE', field: 'method' },
    {
      what: 'unknown method',
      query: '?method=foo',
      body: adminCredentials,
      code: 'COULD_NOT_VALIDATE',
      field: 'method',
    },
    {
      what: 'method in capitals',
      query: '?method=PASSWORD',
      body: adminCredentials,
      code: 'COULD_NOT_VALIDATE',
      field: 'method',
    },
    {
      what: 'short user name',
      query: '?method=password',
      body: { username: 'abc', password: '12345678' },
      code: 'COULD_NOT_VALIDATE',
      field: 'username',
    },
    {
      what: 'short password',
      query: '?method=password',
      body: { username: 'admin', password: '1234' },
      code: 'COULD_NOT_VALIDATE',
      field: 'password',
    },
    {
      what: 'long password',
      query: '?method=password',
      body: { username: 'admin', password: 'x'.repeat(101) },
      code: 'COULD_NOT_VALIDATE',
      field: 'password',
    },
    {
      what: 'number as user name',
      query: '?method=password',
      body: { username: 5, password: '12345678' },
      code: 'COULD_NOT_PARSE_BODY',
    },
    { what: 'no credentials', query: '?method=password', body: {}, code: 'COULD_NOT_VALIDATE' },
  ];

  it('names the field of a refused request and never shows a password', async () => {
    await using server = await startController();
    for (const { what, query, body, code, field } of cases) {
      const answer = await server.wire('POST', `/edge/client/v1/authenticate${query}`, { body });
      expect(answer.status, what).toBe(400);
      expect(answer.body.error.code, what).toBe(code);
      if (field) expect(answer.body.error.cause.field, what).toBe(field);
      expect(answer.text, what).not.toContain('12345678');
      expect(answer.text, what).not.toContain('xxxxx');
    }
  });

  it('refuses a body that is no JSON object and a body of another type', async () => {
    await using server = await startController();
    const path = '/edge/client/v1/authenticate?method=password';
    for (const raw of ['{', '[]', '"text"', '{"username":', '{"__proto__":{"isAdmin":true}}']) {
      const answer = await server.wire('POST', path, { raw });
      expect([answer.status, answer.body.error.code], raw).toEqual([400, 'COULD_NOT_PARSE_BODY']);
    }
    const form = await server.wire('POST', path, {
      raw: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([form.status, form.body.error.code]).toEqual([415, 'COULD_NOT_VALIDATE']);
  });

  it('refuses what no identity of this controller can prove: certificate and external JWT', async () => {
    await using server = await startController();
    const cert = await server.wire('POST', '/edge/client/v1/authenticate?method=cert', { body: {} });
    expect([cert.status, cert.body.error.code]).toEqual([401, 'INVALID_AUTH']);
    const jwt = await server.wire('POST', '/edge/client/v1/authenticate?method=ext-jwt', {});
    expect([jwt.status, jwt.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  it.each(storePairs)(
    'opens no lasting session when a password was replaced meanwhile, not yet announced, on $stores',
    async ({ open }) => {
      useSlowHashes();
      await using server = await startController({ ...(await open()), hashConcurrency: 1 });
      const admin = await server.signIn();
      const { id, username, password } = await server.addUser(admin);
      const attempt = (name: string) =>
        server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: { username: name, password } });
      expect((await attempt(username)).status).toBe(200);
      await openConnections(server, 13);
      // The one hash at a time is busy with these, so that the password is read and not yet compared when it changes.
      const before = Array.from({ length: 10 }, () => attempt('nobody'));
      const inFlight = Array.from({ length: 3 }, () => attempt(username));
      await Promise.race(before);
      const own = `"authenticatorId" in (select "id" from "authenticators" where "identityId" = '${id}')`;
      await sql(server, `update "passwords" set "hash" = 'another hash' where ${own}`);
      await sql(server, `update "credentials" set "version" = "version" + 1 where ${own}`);
      const answers = await Promise.all(inFlight);
      await Promise.all(before);
      // This change is announced, and everybody reads the identity again.
      const announced = { token: admin, body: { externalId: 'changed' } };
      expect((await server.wire('PATCH', `/edge/management/v1/identities/${id}`, announced)).status).toBe(200);
      for (const { status, body } of answers) {
        const token = status === 200 ? body.data.token : 'none';
        expect((await server.wire('GET', '/edge/client/v1/current-api-session', { token })).status).toBe(401);
      }
    },
  );

  it.each(storePairs)(
    'refuses a password that the policy forbids while it is compared, on $stores',
    async ({ open }) => {
      useSlowHashes();
      await using server = await startController({ ...(await open()), hashConcurrency: 1 });
      const token = await server.signIn();
      const authPolicyId = await addPolicy(server, token, { name: 'passwords' });
      const { id, username, password } = await addUserUnder(server, token, { authPolicyId });
      const attempt = (name: string) =>
        server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: { username: name, password } });
      expect((await attempt(username)).status).toBe(200);
      await openConnections(server, 23);
      // As above: the policy is read, and the password is not yet compared.
      const before = Array.from({ length: 20 }, () => attempt('nobody'));
      const inFlight = Array.from({ length: 3 }, () => attempt(username));
      await Promise.race(before);
      const forbidden = { token, body: { primary: { updb: { allowed: false } } } };
      expect((await server.wire('PATCH', `${authPolicies}/${authPolicyId}`, forbidden)).status).toBe(200);
      for (const { status, body } of await Promise.all(inFlight)) {
        expect([status, body.error?.code]).toEqual([401, 'INVALID_AUTH']);
      }
      await Promise.all(before);
      // That of the first sign-in.
      const sessions = `/edge/management/v1/api-sessions?filter=${encodeURIComponent(`identity="${id}"`)}`;
      expect((await server.wire('GET', sessions, { token })).body.data).toHaveLength(1);
    },
  );

  it.each(storePairs)(
    'serves no session of a disabled identity that nobody has ended, on $stores',
    async ({ open }) => {
      await using server = await startController(await open());
      const admin = await server.signIn();
      const { id, ...credentials } = await server.addUser(admin);
      const token = await server.signIn(credentials);
      const status = async () => (await server.wire('GET', '/edge/client/v1/current-api-session', { token })).status;
      expect(await status()).toBe(200);
      await sql(server, `update "identities" set "disabledAt" = '2024-01-01T00:00:00.000Z' where "id" = '${id}'`);
      const renamed = { token: admin, body: { name: 'another name' } };
      expect((await server.wire('PATCH', `/edge/management/v1/identities/${id}`, renamed)).status).toBe(200);
      expect(await status()).toBe(401);
    },
  );

  it('answers 429 with Retry-After when too many passwords wait, and again 200 afterwards', async () => {
    useSlowHashes();
    await using server = await startController({ hashConcurrency: 1, hashQueue: 1 });
    const attempts = await Promise.all(
      Array.from({ length: 12 }, () =>
        server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: adminCredentials }),
      ),
    );
    const refused = attempts.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(refused[0]?.body.error.code).toBe('SERVER_TOO_MANY_REQUESTS');
    expect(attempts.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(await server.signIn()).toMatch(uuid);
  });

  it('limits attempts of one address', async () => {
    await using server = await startController({ signInRate: 1, signInBurst: 3 });
    const path = '/edge/client/v1/authenticate?method=password';
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      statuses.push(
        (await server.wire('POST', path, { body: { username: 'nobody', password: 'wrong password' } })).status,
      );
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});
