import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionVerifier, SessionVerifierOptions, VerifiedSession } from '@edge-controller/sdk/backend';
import { createSessionVerifier, koaSession } from '@edge-controller/sdk/backend';
import { createEdgeClient } from '@edge-controller/sdk/node';
import Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addPolicy, addUserUnder, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { addIssuer, createJwtIssuer } from '../support/jwt-issuer.ts';

const maxAge = 10_000;

function verifierOf(server: TestController, options: Partial<SessionVerifierOptions> = {}) {
  const time = { now: 1_000_000 };
  const clock = () => time.now;
  const { url: controller, caFile } = server;
  return { time, ...createSessionVerifier({ controller, caFile, maxAge, clock, ...options }) };
}

describe.each(storePairs)('a backend of the SDK against $stores', ({ open }) => {
  it('knows whose session a token belongs to, and refuses it within maxAge after its end', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const { verifySession, time } = verifierOf(server);
    const identityOf = (id: string) => `/edge/management/v1/identities/${id}`;
    const ends: Record<string, (token: string, id: string) => Promise<{ status: number }>> = {
      'sign-out': (token) => server.wire('DELETE', '/edge/client/v1/current-api-session', { token }),
      'deleted identity': (_token, id) => server.wire('DELETE', identityOf(id), { token: admin }),
      'disabled identity': (_token, id) =>
        server.wire('POST', `${identityOf(id)}/disable`, { token: admin, body: { durationMinutes: 0 } }),
    };
    for (const [name, end] of Object.entries(ends)) {
      const user = await server.addUser(admin);
      const token = await server.signIn(user);
      const session = await verifySession(token);
      expect(session).toMatchObject({
        state: 'full',
        identity: { id: user.id, name: user.username },
        authenticatorId: expect.stringMatching(/./),
        ipAddress: '127.0.0.1',
      });
      expect(session?.expiresAt?.getTime()).toBe(time.now + 1_800_000);
      expect((await end(token, user.id)).status, name).toBe(200);
      time.now += maxAge - 1;
      expect(await verifySession(token), name).not.toBeNull();
      time.now += 1;
      expect(await verifySession(token), name).toBeNull();
    }
    expect(await verifySession('00000000-0000-4000-8000-000000000000')).toBeNull();
  });
});

it('answers from memory while the controller is away, and then cannot tell', async () => {
  await using server = await startController();
  const token = await server.signIn();
  const { verifySession, time } = verifierOf(server);
  expect(await verifySession(token)).not.toBeNull();
  await server.controller.close();
  expect(await verifySession(token)).not.toBeNull();
  time.now += maxAge;
  await expect(verifySession(token)).rejects.toMatchObject({ name: 'EdgeNetworkError' });
});

it('needs the JWT of the second factor where the policy demands it with every request', async () => {
  await using server = await startController();
  await using issuer = await createJwtIssuer();
  const admin = await server.signIn();
  const signerId = await addIssuer(server, admin, issuer);
  const authPolicyId = await addPolicy(server, admin, {
    name: 'two factors',
    primary: policyRules.primary,
    secondary: { requireTotp: false, requireExtJwtSigner: signerId },
  });
  const user = await addUserUnder(server, admin, { authPolicyId });
  const path = `/edge/management/v1/identities/${user.id}`;
  await server.wire('PATCH', path, { token: admin, body: { externalId: 'alice' } });
  const token = await server.signIn(user);
  const { verifySession } = verifierOf(server);
  const secondaryToken = issuer.sign({ sub: 'alice' });
  expect(await verifySession(token, { secondaryToken })).toMatchObject({ state: 'full' });
  expect(await verifySession(token, { secondaryToken: issuer.sign({ sub: 'bob' }) })).toBeNull();
  expect(await verifySession(token)).toBeNull();
  expect(await verifySession(token, { allowPartial: true })).toMatchObject({
    ...{ state: 'partial', authQueries: [{ typeId: 'EXT-JWT' }] },
  });
});

it('greets the user of edge.fetch until the user signs out', async () => {
  await using server = await startController();
  const user = await server.addUser(await server.signIn());
  const { time, ...verifier } = verifierOf(server);
  const { origin, backend } = await startBackend(verifier);
  const edge = createEdgeClient(server.url, { caFile: server.caFile, origins: [origin] });
  let token = '';
  backend.on('request', ({ headers }) => {
    token = String(headers['svc-session']);
  });
  await edge.signIn.password(user);
  expect(await (await edge.fetch(origin)).text()).toBe(`Hello ${user.username}`);
  await edge.signOut();
  time.now += maxAge;
  const refused = await fetch(origin, { headers: { 'svc-session': token } });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('error="invalid"'),
  ]);
});

it('extends the session of a user who calls only the backend, and sends the client its end', async () => {
  const sessionTimeout = 4_000;
  await using server = await startController({ sessionTimeout });
  // It remembers answers for longer than the session lasts.
  const { origin } = await startBackend(
    createSessionVerifier({ controller: server.url, caFile: server.caFile, maxAge }),
  );
  await using edge = createEdgeClient(server.url, { caFile: server.caFile, origins: [origin] });
  const seen: string[] = [];
  await edge.signIn.password(adminCredentials);
  edge.on('expiring', () => seen.push('expiring'));
  edge.on('stateChange', ({ state }) => seen.push(state));
  const { token } = await edge.client.currentApiSession.get();
  const endOf = async () => {
    const { body } = await server.wire('GET', '/edge/client/v1/current-api-session?touch=false', { token });
    return Date.parse(body.data.expiresAt);
  };
  const since = Date.now();
  while (Date.now() - since < 3 * sessionTimeout) {
    await sleep(400);
    const response = await edge.fetch(origin);
    const told = Date.now() + 1_000 * Number(response.headers.get('svc-session-expires-in'));
    expect(response.status).toBe(200);
    // Never later than the controller says.
    expect(told).toBeLessThanOrEqual((await endOf()) + 200);
    expect(told).toBeGreaterThan(Date.now() + sessionTimeout / 2 - 1_500);
  }
  expect(seen).toEqual([]);
  await edge.waitFor('expired', { timeout: 10_000 });
  expect(seen).toEqual(['expiring', 'expired']);
});

async function startBackend(verifier: SessionVerifier) {
  const app = new Koa<{ edgeSession: VerifiedSession }>();
  app.use(koaSession(verifier));
  app.use((ctx) => {
    ctx.body = `Hello ${ctx.state.edgeSession.identity.name}`;
  });
  const backend = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  onTestFinished(() => void backend.close().closeAllConnections());
  return { backend, origin: `http://127.0.0.1:${(backend.address() as AddressInfo).port}` };
}
