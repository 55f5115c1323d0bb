import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, authPolicies, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { sharedStores, startController, storePairs } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { signersPath } from '../support/external-jwt-signers.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';
import { served } from '../support/request.ts';
import { sql } from '../support/sql.ts';

const enrollPath = '/edge/client/v1/enroll/token';
const identities = '/edge/management/v1/identities';
const extJwt = (allowedSigners: readonly string[] = []) => ({ allowed: true, allowedSigners });

describe.each(storePairs)('external JWTs while something changes on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let policyId: string;

  const send = (verb: string, path: string, body?: object) => server.wire(verb, path, { token: admin, body });
  const signIn = (token: string) => server.wire('POST', jwtSignIn, { body: {}, headers: bearer(token) });
  /** How many deadlocks PostgreSQL has ended in this database. A connection tells them with its next transaction, a second later. */
  const deadlocks = async () => {
    if (!server.options.databaseUrl) return [];
    await delay(1_100);
    await Promise.all(Array.from({ length: 20 }, () => send('GET', identities)));
    return sql(server, 'select deadlocks from pg_stat_database where datname = current_database()');
  };
  const enroll = (token: string, body: object = {}) =>
    server.wire('POST', enrollPath, { body, headers: bearer(token) });
  const isSignedIn = async (token: string) =>
    (await server.wire('GET', '/edge/client/v1/current-identity', { token })).status === 200;
  /** Without a race, each token opens an API session. */
  const expectSignIns = async (tokens: readonly string[]) => {
    const answers = await Promise.all(tokens.map(signIn));
    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 200));
    expect(await Promise.all(answers.map(({ body }) => isSignedIn(body.data.token)))).not.toContain(false);
  };
  const addPerson = async () => {
    const externalId = randomUUID();
    return { id: await addIdentity(server, admin, { externalId, authPolicyId: policyId }), externalId };
  };
  const enrolls = () => ({ enrollToCertEnabled: true, enrollToTokenEnabled: true, enrollAuthPolicyId: policyId });

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    const primary = { ...policyRules.primary, extJwt: extJwt() };
    policyId = await addPolicy(server, admin, { name: 'tokens', primary });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each([
    ['is disabled', 'PATCH', { enabled: false }],
    ['gets another issuer', 'PATCH', { issuer: 'https://another.example/' }],
    ['takes the claim for an id', 'PATCH', { useExternalId: false }],
    ['is deleted', 'DELETE', undefined],
  ] as const)('leaves no API session of fifty sign-ins when the signer %s', async (_, verb, change) => {
    await using issuer = await createJwtIssuer();
    for (const wait of [0, 5, 15, 30]) {
      const signerId = await addIssuer(server, admin, issuer);
      const people = await Promise.all(Array.from({ length: 5 }, addPerson));
      const tokens = await Promise.all(people.map(({ externalId }) => issuer.sign({ sub: externalId })));
      await expectSignIns(tokens);
      const signIns = Array.from({ length: 50 }, (_, at) => signIn(tokens[at % 5] ?? ''));
      await delay(wait);
      expect((await send(verb, `${signersPath}/${signerId}`, change)).status).toBe(200);
      const late = await Promise.all(tokens.map((token) => signIn(token)));
      expect(late.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
      const answers = await Promise.all(signIns);
      expect(
        [...new Set(answers.map(({ status }) => status))].filter((status) => ![200, 401].includes(status)),
      ).toEqual([]);
      const opened = answers.flatMap(({ body }) => body.data?.token ?? []);
      expect(await Promise.all(opened.map(isSignedIn))).not.toContain(true);
      if (verb === 'PATCH') await send('DELETE', `${signersPath}/${signerId}`);
    }
  });

  it.each([
    ['is deleted', 'DELETE', undefined],
    ['gets another external id', 'PATCH', { externalId: `another ${randomUUID()}` }],
  ] as const)('leaves no API session of twenty sign-ins when the identity %s', async (_, verb, change) => {
    await using issuer = await createJwtIssuer();
    await addIssuer(server, admin, issuer);
    for (const wait of [0, 5, 15]) {
      const { id, externalId: sub } = await addPerson();
      const token = await issuer.sign({ sub });
      await expectSignIns([token]);
      const signIns = Array.from({ length: 20 }, () => signIn(token));
      await delay(wait);
      expect((await send(verb, `${identities}/${id}`, change)).status).toBe(200);
      const opened = (await Promise.all(signIns)).flatMap(({ body }) => body.data?.token ?? []);
      expect(await Promise.all(opened.map(isSignedIn))).not.toContain(true);
      if (verb === 'PATCH') await send('DELETE', `${identities}/${id}`);
    }
  });

  it('makes one identity of a hundred enrollments with different tokens of one person', async () => {
    await using issuer = await createJwtIssuer();
    await addIssuer(server, admin, issuer, { ...enrolls(), enrollNameClaimsSelector: 'name' });
    const [sub, clientCsr] = [randomUUID(), writeCsr('a device')];
    const tokens = await Promise.all(
      Array.from({ length: 100 }, (_, at) => issuer.sign({ sub, name: `${at} ${sub}`, jti: `${at}` })),
    );
    const answers = await Promise.all(
      tokens.map((token, at) => served(() => enroll(token, at % 10 === 0 ? { clientCsr } : {}))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 99 }, () => 409)]);
  });

  it('never deadlocks, and a policy never names a signer that is gone', async () => {
    await using issuer = await createJwtIssuer();
    const rules = { ...policyRules.primary, extJwt: extJwt() };
    const other = await addPolicy(server, admin, { name: `other ${randomUUID()}`, primary: rules });
    const before = await deadlocks();
    for (let round = 0; round < 15; round += 1) {
      const signerId = await addIssuer(server, admin, issuer, enrolls());
      const signer = `${signersPath}/${signerId}`;
      const [{ externalId }, fresh] = [await addPerson(), randomUUID()];
      const [known, unknown, device] = await Promise.all(
        [externalId, fresh, `cert ${fresh}`].map((sub) => issuer.sign({ sub })),
      );
      const allowedNow = extJwt(round % 2 ? [signerId] : []);
      const [deletion, ...others] = await Promise.all([
        delay(round % 5).then(() => served(() => send('DELETE', signer))),
        served(() => send('PATCH', `${authPolicies}/${other}`, { primary: { extJwt: extJwt([signerId]) } })),
        served(() => send('PATCH', `${authPolicies}/${policyId}`, { primary: { extJwt: allowedNow } })),
        served(() => send('PATCH', signer, { enrollAuthPolicyId: other })),
        served(() => send('PATCH', signer, { audience: 'edge' })),
        served(() => signIn(known ?? '')),
        served(() => enroll(unknown ?? '')),
        served(() => enroll(device ?? '', { clientCsr: writeCsr('a device') })),
      ]);
      // A repeated deletion may find that the first one has done it.
      expect([200, 404, 409]).toContain(deletion.status);
      for (const { status, text } of others) expect(status, text).toBeLessThan(500);
      const named = await Promise.all([other, policyId].map((id) => send('GET', `${authPolicies}/${id}`)));
      const isNamed = named.some(({ body }) => body.data.primary.extJwt.allowedSigners.includes(signerId));
      expect(isNamed).toBe(deletion.status === 409);
      for (const id of [other, policyId])
        await send('PATCH', `${authPolicies}/${id}`, { primary: { extJwt: extJwt() } });
      if (deletion.status === 409) expect((await send('DELETE', signer)).status).toBe(200);
    }
    // A request that a deadlock ended would have been repeated.
    expect(await deadlocks()).toEqual(before);
    const left = () =>
      sql(
        server,
        `select "identityId" from "credentials" where "authenticatorId" like 'extJwtId:%'
          and substr("authenticatorId", 10) not in (select "id" from "externalJwtSigners")`,
      );
    await expect.poll(left).toEqual([]);
  });

  describe('while the keys are fetched', () => {
    /** Sends a request, changes the signer while the provider lets it wait, and returns the answer. */
    const during = async (
      issuer: JwtIssuer,
      request: () => ReturnType<typeof signIn>,
      change: () => Promise<unknown>,
    ) => {
      const arrived = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      issuer.serve(async (_, response) => {
        arrived.resolve();
        await released.promise;
        issuer.serveKeys();
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ keys: issuer.keys.map(({ jwk }) => jwk) }));
      });
      const answer = request();
      await arrived.promise;
      await change();
      released.resolve();
      return answer;
    };
    const patched = async (path: string, body: object) => expect((await send('PATCH', path, body)).status).toBe(200);

    it.each([
      { audience: 'another' },
      { enabled: false },
      { jwksEndpoint: 'http://127.0.0.1:9/jwks' },
      { claimsProperty: '/email' },
    ])('nobody signs in by a signer that gets %j', async (change) => {
      await using issuer = await createJwtIssuer();
      const signer = `${signersPath}/${await addIssuer(server, admin, issuer)}`;
      const { externalId: sub } = await addPerson();
      const token = await issuer.sign({ sub });
      const answer = await during(
        issuer,
        () => signIn(token),
        () => patched(signer, change),
      );
      expect([answer.status, answer.body.error?.code]).toEqual([401, 'UNAUTHORIZED']);
      const former = {
        audience: issuer.audience,
        enabled: true,
        jwksEndpoint: issuer.jwksEndpoint,
        claimsProperty: '/sub',
      };
      await patched(signer, former);
      await expectSignIns([token]);
    });

    it('what only clients see may change', async () => {
      await using issuer = await createJwtIssuer();
      const signer = `${signersPath}/${await addIssuer(server, admin, issuer)}`;
      const { externalId: sub } = await addPerson();
      const token = await issuer.sign({ sub });
      const change = { externalAuthUrl: 'https://login.example/', clientId: 'app', scopes: ['email'], name: sub };
      const answer = await during(
        issuer,
        () => signIn(token),
        () => patched(signer, change),
      );
      expect(answer.status).toBe(200);
    });

    it('nobody enrolls by what the signer does not allow any more, and nothing is an error of the server', async () => {
      await using issuer = await createJwtIssuer();
      const old = await addPolicy(server, admin, {
        name: `old ${randomUUID()}`,
        primary: { ...policyRules.primary, extJwt: extJwt() },
      });
      const signerId = await addIssuer(server, admin, issuer, { ...enrolls(), enrollAuthPolicyId: old });
      const signer = `${signersPath}/${signerId}`;
      const changes = [
        () => patched(signer, { audience: 'another' }),
        async () => {
          await patched(signer, { enrollAuthPolicyId: policyId });
          expect((await send('DELETE', `${authPolicies}/${old}`)).status).toBe(200);
        },
        () => patched(signer, { enrollToTokenEnabled: false }),
      ];
      for (const [at, change] of changes.entries()) {
        const key = await issuer.addKey();
        await delay(1_100);
        const token = await issuer.sign({ sub: randomUUID(), aud: ['edge', 'another'] }, {}, key);
        const answer = await during(issuer, () => enroll(token), change);
        expect([answer.status, answer.body.error?.code], `change ${at}`).toEqual([400, 'INVALID_ENROLLMENT_TOKEN']);
      }
    });
  });
});

it('opens no API session for an identity that gets another external id before its first sign-in is stored', async () => {
  await using server = await startController(await sharedStores.open());
  await using issuer = await createJwtIssuer();
  const admin = await server.signIn();
  await addIssuer(server, admin, issuer);
  const primary = { ...policyRules.primary, extJwt: extJwt() };
  const authPolicyId = await addPolicy(server, admin, { name: 'tokens', primary });
  const signIn = (sub: string) => server.wire('POST', jwtSignIn, { body: {}, headers: bearer(issuer.sign({ sub })) });
  const [sub, other] = [randomUUID(), randomUUID()];
  const id = await addIdentity(server, admin, { externalId: sub, authPolicyId });
  const client = new pg.Client({ connectionString: server.options.databaseUrl ?? '' });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('update identities set "externalId" = $1 where id = $2', [other, id]);
    const attempted = signIn(sub);
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    while ((await client.query(waiting)).rowCount === 0) await delay(5);
    await client.query('commit');
    expect((await attempted).status).toBe(401);
  } finally {
    await client.end();
  }
  expect((await signIn(other)).body.data).toMatchObject({ identityId: id });
});
