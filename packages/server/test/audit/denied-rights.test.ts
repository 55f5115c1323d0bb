import { describe, expect, it, vi } from 'vitest';
import { entriesOf, verified } from '../support/audit.ts';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';

const management = '/edge/management/v1';
const denied = 'event = "permission.denied"';

async function reader(server: TestController, admin: string, permissions: readonly string[]) {
  const user = await server.addUser(admin);
  const body = { permissions };
  await server.wire('PATCH', `${management}/identities/${user.id}`, { token: admin, body });
  return { id: user.id, token: await server.signIn(user) };
}

describe.each(storePairs)('a request without the right, on $stores', ({ open }) => {
  it('is an entry of the audit log and an event, whatever right is missing', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const seen = vi.fn();
    server.controller.events.on('permission.denied', seen);
    const user = await reader(server, admin, ['identity']);
    const refused = [
      await server.wire('DELETE', `${management}/services/nothing`, { token: user.token }),
      await server.wire('POST', `${management}/identities`, {
        token: user.token,
        body: { name: 'higher', type: 'User', isAdmin: true },
      }),
    ];
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual([
      [401, 'UNAUTHORIZED'],
      [401, 'UNAUTHORIZED'],
    ]);
    expect(await entriesOf(server, admin, denied)).toMatchObject([
      {
        ...{ outcome: 'failure', identityId: user.id, ipAddress: '127.0.0.1', entityId: null },
        ...{
          requestId: refused[0]?.body.error.requestId,
          details: { operation: 'deleteService', permission: 'service.delete' },
        },
      },
      { identityId: user.id, details: { operation: 'createIdentity', permission: 'identity.create' } },
    ]);
    expect(seen).toHaveBeenCalledTimes(2);
    expect(seen).toHaveBeenCalledWith(expect.objectContaining({ identityId: user.id, operation: 'deleteService' }));
  });

  it('fills nothing: equal ones are counted, and few different ones have entries', async () => {
    const first = await startController(await open());
    const admin = await first.signIn();
    const user = await reader(first, admin, []);
    const collections = ['identities', 'services', 'cas', 'auth-policies', 'authenticators', 'enrollments', 'configs'];
    const paths = [
      ...collections,
      'edge-routers',
      'posture-checks',
      'terminators',
      'sessions',
      'api-sessions',
      'config-types',
    ];
    const all = Array.from({ length: 20 }, () => paths).flat();
    const statuses = await Promise.all(
      all.map(async (path) => (await first.wire('GET', `${management}/${path}`, { token: user.token })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect((await entriesOf(first, admin, denied)).length).toBe(10);
    await first.controller.close();
    await using server = await startController(first.options);
    const found = await entriesOf(server, await server.signIn(), denied);
    expect(found.length).toBe(21);
    const counted = found.reduce((sum, { details }) => sum + (details.count ?? 1), 0);
    expect(counted).toBe(all.length);
    expect(await verified(server.options)).toMatchObject({ findings: [] });
  });

  it('is none of somebody who is not signed in, or not completely', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const secondary = { ...policyRules.secondary, requireTotp: true };
    const authPolicyId = await addPolicy(server, admin, { name: 'two factors', secondary });
    const user = await server.addUser(admin);
    await server.wire('PATCH', `${management}/identities/${user.id}`, { token: admin, body: { authPolicyId } });
    const seen = vi.fn();
    server.controller.events.on('permission.denied', seen);
    for (const token of [await server.signIn(user), 'nothing', undefined]) {
      const { status } = await server.wire('GET', `${management}/services`, token === undefined ? {} : { token });
      expect(status).toBe(401);
    }
    expect(seen).not.toHaveBeenCalled();
    expect(await entriesOf(server, admin, denied)).toEqual([]);
  });
});
