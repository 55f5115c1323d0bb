import { randomUUID } from 'node:crypto';
import { permissionNames } from '@edge-controller/shared-types';
import { describe, expect, it } from 'vitest';
import { addPolicy } from '../support/auth-policies.ts';
import { storePairs } from '../support/controller.ts';
import { allowed, identity, withSubjects } from '../support/rights.ts';
import type { Subject } from '../support/subjects.ts';

describe.each(storePairs)('permissions of an identity on $stores', ({ open }) => {
  const t = withSubjects(open);
  const { holder, manage, read, send } = t;
  const newIdentity = () => ({ name: randomUUID(), type: 'User', isAdmin: false });
  const permissionsOf = async (subject: Subject) => (await read(identity(subject))).permissions;
  const set = (permissions: unknown) => manage('PATCH', identity(t.somebody), { permissions } as object);

  it('are stored as a set, and shown to all who read it', async () => {
    expect(await permissionsOf(t.somebody)).toBeNull();
    expect(await set(['service', 'ca.read', 'service'])).toMatchObject(allowed);
    expect(await permissionsOf(t.somebody)).toEqual(['ca.read', 'service']);
    const current = await send(t.somebody, 'GET', '/current-identity');
    expect(current.body.data.permissions).toEqual(['ca.read', 'service']);
    expect(await manage('PATCH', identity(t.somebody), { permissions: null, name: randomUUID() })).toMatchObject(
      allowed,
    );
    expect(await permissionsOf(t.somebody)).toEqual(['ca.read', 'service']);
    expect(await set([])).toMatchObject(allowed);
    expect(await permissionsOf(t.somebody)).toBeNull();
    expect(await set(['ops'])).toMatchObject(allowed);
    expect(await manage('PUT', identity(t.somebody), newIdentity())).toMatchObject(allowed);
    expect(await permissionsOf(t.somebody)).toBeNull();
    const body = { ...newIdentity(), permissions: ['router.read', 'terminator'] };
    const { id } = (await manage('POST', '/identities', body)).body.data;
    expect((await read(`/identities/${id}`)).permissions).toEqual(['router.read', 'terminator']);
    expect((await manage('PUT', `/identities/${id}`, { ...body, permissions: ['ops.read'] })).status).toBe(200);
    expect((await read(`/identities/${id}`)).permissions).toEqual(['ops.read']);
  });

  it.each(['', 'admin', 'authenticator', 'authenticator.read', 'ops.create', 'Service', 'service.*', 'service.read '])(
    'do not have %j',
    async (name) => {
      const reason = `invalid permissions '${name}'`;
      const error = { code: 'COULD_NOT_VALIDATE', cause: { field: 'permissions', reason, value: name } };
      expect(await set(['service', name])).toMatchObject({ status: 400, body: { error } });
      const body = { ...newIdentity(), permissions: [name] };
      expect(await manage('POST', '/identities', body)).toMatchObject({ status: 400, body: { error } });
    },
  );

  it.each([['service'], [[1]], [[['service']]], [{ service: true }]])('are not %j', async (permissions) => {
    const refused = await set(permissions);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'COULD_NOT_PARSE_BODY']);
  });

  it('are not more than there are', async () => {
    const error = { code: 'COULD_NOT_VALIDATE', cause: { field: 'permissions' } };
    expect(await set(Array(permissionNames.length + 1).fill('service'))).toMatchObject({
      status: 400,
      body: { error },
    });
  });

  it('count for a live session from the next request on', async () => {
    const status = async () => (await send(t.somebody, 'GET', '/services')).status;
    for (const [permissions, expected] of [
      [['service.read'], 200],
      [['service.create', 'config'], 401],
      [['admin_readonly'], 200],
      [[], 401],
      [['service'], 200],
    ] as const) {
      expect(await set(permissions)).toMatchObject(allowed);
      expect([permissions, await status()]).toEqual([permissions, expected]);
    }
    expect(await manage('PUT', identity(t.somebody), newIdentity())).toMatchObject(allowed);
    expect(await status()).toBe(401);
    expect((await send(t.somebody, 'GET', '/current-identity')).status).toBe(200);
  });

  it('count in full sessions only', async () => {
    const reader = await holder('admin_readonly', 'service');
    const authPolicyId = await addPolicy(t.server, t.admin, { name: randomUUID(), secondary: { requireTotp: true } });
    expect((await send(reader, 'GET', '/services')).status).toBe(200);
    expect(await manage('PATCH', identity(reader), { authPolicyId })).toMatchObject(allowed);
    const refused = await send(reader, 'GET', '/services');
    expect([refused.status, refused.body.error.cause]).toEqual([401, undefined]);
  });

  it('open lists of what is listed, not of what it belongs to', async () => {
    const reader = await holder('identity.read');
    const below = async (name: string) => (await send(reader, 'GET', `${identity(t.somebody)}/${name}`)).status;
    const statuses = [await below('services'), await below('authenticators'), await below('service-configs')];
    expect(statuses).toEqual([401, 401, 200]);
  });
});
