import { createEdgeClient } from '@edge-controller/sdk/node';
import { contracts } from '@edge-controller/shared-types';
import { describe, expect, it } from 'vitest';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';

describe.each(storePairs)('the summary on $stores', ({ open }) => {
  it('counts the entities of each kind, the API sessions and the TOTPs', async () => {
    await using server = await startController(await open());
    const edge = createEdgeClient(server.url, { caFile: server.caFile });
    await edge.signIn.password(adminCredentials);
    const { edgeRouters, identities, services, summary, transitRouters } = edge.management;
    const before = await summary.get();
    expect(before).toMatchObject({ apiSessions: 1, identities: 1, authPolicies: 1, mfas: 0, services: 0 });
    const counted = Object.keys(contracts).filter((name) => !/^(edge|transit)Routers$/.test(name));
    expect(Object.keys(before)).toEqual(expect.arrayContaining(counted));

    await services.create({ name: 'db', encryptionRequired: true });
    const { id } = await identities.create({ name: 'Ada', type: 'User', isAdmin: false, enrollment: { ott: true } });
    await server.signIn();
    const [service, sessions] = [{ services: 1, 'services.edge': 1 }, before.apiSessions ?? 0];
    const added = { ...before, ...service, apiSessions: sessions + 1, identities: 2, enrollments: 1 };
    expect(await summary.get()).toEqual(added);
    await identities.delete(id);
    expect(await summary.get()).toEqual({ ...added, identities: 1, enrollments: 0 });
    await edgeRouters.create({ name: 'edge' });
    await transitRouters.create({ name: 'transit' });
    expect(await summary.get()).toMatchObject({ routers: 2, 'routers.edge': 1 });
    await edge.client.currentIdentityMfa.create();
    expect(await summary.get()).toMatchObject({ mfas: 1 });

    const token = await server.signIn();
    const { body } = await server.wire('GET', '/edge/management/v1/summary', { token });
    expect(body.meta).toBeNull();
    const user = await server.signIn(await server.addUser(token));
    expect((await server.wire('GET', '/edge/management/v1/summary', { token: user })).status).toBe(401);
  });
});
