import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SessionVerifierOptions, VerifiedSession } from '@edge-controller/sdk/backend';
import { createSessionVerifier, koaSession } from '@edge-controller/sdk/backend';
import { createEdgeClient } from '@edge-controller/sdk/node';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { addPolicy, addUserUnder, policyRules } from './support/auth-policies.ts';
import type { TestController } from './support/controller.ts';
import { startController, storePairs } from './support/controller.ts';
import { addIssuer, createJwtIssuer } from './support/jwt-issuer.ts';

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
  expect(await verifySession(token, { secondaryToken: issuer.sign({ sub: 'bob' }) })).toMatchObject({
    state: 'partial',
  });
  expect(await verifySession(token)).toMatchObject({ state: 'partial', authQueries: [{ typeId: 'EXT-JWT' }] });
});

it('greets the user of edge.fetch until the user signs out', async () => {
  await using server = await startController();
  const user = await server.addUser(await server.signIn());
  const { verifySession, sessionHeader, time } = verifierOf(server);
  const app = new Koa<{ edgeSession: VerifiedSession }>();
  app.use(koaSession({ verifySession, sessionHeader }));
  app.use((ctx) => {
    ctx.body = `Hello ${ctx.state.edgeSession.identity.name}`;
  });
  const backend = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const origin = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  const edge = createEdgeClient(server.url, { caFile: server.caFile, origins: [origin] });
  try {
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
  } finally {
    backend.closeAllConnections();
    backend.close();
  }
});
