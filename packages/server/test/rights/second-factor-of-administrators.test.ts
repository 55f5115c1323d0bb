import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { readMetrics } from '../support/metrics.ts';
import { enrollTotp, totpPaths } from '../support/totp.ts';

const api = '/edge/management/v1';
const metric = 'edge_administrators_without_second_factor';

async function administration(server: TestController) {
  const edge = createEdgeClient(server.url, { caFile: server.caFile });
  await edge.signIn.password(adminCredentials);
  return edge.management;
}

/** The names of those that a list has. */
async function lacking({ identities }: Awaited<ReturnType<typeof administration>>): Promise<string[]> {
  const [without, all] = await Promise.all([identities.list({ lacksSecondFactor: 'true' }), identities.list()]);
  const shown = all.data.filter(({ lacksSecondFactor }) => lacksSecondFactor).map(({ name }) => name);
  expect(shown.sort()).toEqual(without.data.map(({ name }) => name).sort());
  const others = await identities.list({ lacksSecondFactor: 'false' });
  expect(others.data.length).toBe(all.data.length - without.data.length);
  return shown;
}

describe.each(storePairs)('administrators without a second factor on $stores', ({ open }) => {
  it('are shown by lists and details, and no others are', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const management = await administration(server);
    const { authPolicies, externalJwtSigners, identities } = management;
    const base = await authPolicies.get('default');
    const policyWith = (name: string, secondary: { requireTotp: boolean; requireExtJwtSigner?: string }) =>
      authPolicies.create({ name, primary: base.primary, secondary });
    const signer = { name: 'login', issuer: 'https://login.example', audience: 'edge', enabled: true } as const;
    const { id: requireExtJwtSigner } = await externalJwtSigners.create({
      ...signer,
      jwksEndpoint: 'https://login.example/jwks',
    });
    const byTotp = await policyWith('by TOTP', { requireTotp: true });
    const byJwt = await policyWith('by JWT', { requireTotp: false, requireExtJwtSigner });

    const person = { type: 'User', isAdmin: false } as const;
    await identities.create({ ...person, name: 'nobody' });
    await identities.create({ ...person, name: 'clerk', permissions: ['service.read'] });
    await identities.create({ ...person, name: 'boss', isAdmin: true });
    await identities.create({ ...person, name: 'asked by TOTP', isAdmin: true, authPolicyId: byTotp.id });
    await identities.create({ ...person, name: 'asked by JWT', isAdmin: true, authPolicyId: byJwt.id });
    const enrolled = await server.addUser(admin, { isAdmin: true });
    const begun = await server.addUser(admin, { isAdmin: true });
    await enrollTotp(server.wire, await server.signIn(enrolled));
    await server.wire('POST', totpPaths('client').mfa, { token: await server.signIn(begun) });

    expect(await lacking(management)).toEqual(['Default Admin', 'boss', 'clerk', begun.username].sort());
    const wanted = await server.wire('GET', `${api}/identities?lacksSecondFactor=perhaps`, { token: admin });
    expect(wanted.status).toBe(400);
  });

  it('are counted by a metric', async () => {
    await using server = await startController({ ...(await open()), operationsBind: '127.0.0.1:0' });
    await server.addUser(await server.signIn(), { isAdmin: true });
    expect((await readMetrics(server.operationsUrl)).get(metric)).toBe(2);
    await using strict = await startController({
      ...(await open()),
      ...{ operationsBind: '127.0.0.1:0', adminRequireSecondFactor: true },
    });
    expect((await readMetrics(strict.operationsUrl)).get(metric)).toBe(0);
  });

  it('need one from the next request on when a setting says so, and enroll it where they sign in', async () => {
    await using server = await startController(await open());
    const before = await server.signIn();
    const user = await server.addUser(before);
    const { id: clerkId, ...clerk } = await server.addUser(before);
    const permissions = { token: before, body: { permissions: ['identity.read'] } };
    expect((await server.wire('PATCH', `${api}/identities/${clerkId}`, permissions)).status).toBe(200);
    const list = (token: string) => server.wire('GET', `${api}/identities`, { token });
    expect((await list(before)).status).toBe(200);

    const { changed } = await server.controller.reload({ adminRequireSecondFactor: true });
    expect(changed).toEqual([{ setting: 'edge.admin.requireSecondFactor', from: false, to: true }]);
    const { session, mfa, verify, answer } = totpPaths('management');
    for (const token of [before, await server.signIn(), await server.signIn(clerk)]) {
      expect((await list(token)).status).toBe(401);
      const { authQueries, isMfaRequired } = (await server.wire('GET', session, { token })).body.data;
      expect([authQueries.map(({ typeId }: { typeId: string }) => typeId), isMfaRequired]).toEqual([['MFA'], true]);
    }
    // Without rights, nothing has changed.
    const own = await server.wire('GET', session, { token: await server.signIn(user) });
    expect(own.body.data).toMatchObject({ authQueries: [], isMfaRequired: false });

    const token = await server.signIn();
    const { totp } = await enrollTotp(server.wire, token, { api: 'management' });
    expect((await list(token)).status).toBe(200);
    // The session from before needs a code, too, and cannot enroll another TOTP.
    expect((await list(before)).status).toBe(401);
    expect((await server.wire('POST', mfa, { token: before })).status).toBe(409);
    expect((await server.wire('POST', verify, { token: before, body: { code: totp.wrong() } })).status).toBe(404);
    const code = await totp.next();
    expect((await server.wire('POST', answer, { token: before, body: { code } })).status).toBe(200);
    expect((await list(before)).status).toBe(200);

    // Who loses the TOTP needs a new one.
    const removed = await server.wire('DELETE', mfa, {
      ...{ token, headers: { 'mfa-validation-code': await totp.next() } },
    });
    expect(removed.status).toBe(200);
    expect((await list(token)).status).toBe(401);
    expect((await list(before)).status).toBe(401);
    await server.controller.reload({ adminRequireSecondFactor: false });
    expect((await list(token)).status).toBe(200);
  });
});
