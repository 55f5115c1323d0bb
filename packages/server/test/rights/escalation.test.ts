import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { addPolicy } from '../support/auth-policies.ts';
import { storePairs } from '../support/controller.ts';
import { inAnHour } from '../support/enrollments.ts';
import { allowed, enrollment, identity, lacking, withSubjects } from '../support/rights.ts';
import type { Subject } from '../support/subjects.ts';

const forAdmins = (field: string) => ({
  status: 401,
  body: { error: { code: 'UNAUTHORIZED', cause: { field, reason: 'only administrators may set it' } } },
});

describe.each(storePairs)('rights on $stores', ({ open }) => {
  const t = withSubjects(open);
  const { holder, read, send } = t;
  const newIdentity = () => ({ name: randomUUID(), type: 'User', isAdmin: false });
  /** Every change of an identity, its credentials and its sessions that is not for administrators alone. */
  const changesOf = (target: Subject): [string, string, object?][] => [
    ['PATCH', identity(target), { name: randomUUID() }],
    ['PATCH', identity(target), { externalId: randomUUID() }],
    ['PATCH', identity(target), { authPolicyId: 'default' }],
    ['POST', `${identity(target)}/disable`, { durationMinutes: 1 }],
    ['POST', `${identity(target)}/enable`],
    ['DELETE', `${identity(target)}/mfa`],
    ['POST', `${identity(target)}/service-configs`, []],
    ['DELETE', `${identity(target)}/service-configs`, []],
    ['POST', `${enrollment(target)}/refresh`, { expiresAt: inAnHour() }],
    ['DELETE', enrollment(target)],
    ['POST', '/enrollments', { identityId: target.ids.identities, method: 'ott', expiresAt: inAnHour() }],
    ['DELETE', `/api-sessions/${target.ids.apiSessions}`],
    ['DELETE', identity(target)],
  ];

  it('are given and taken by administrators alone', async () => {
    const helper = await holder('identity', 'service');
    const refused: [string, string, string, object][] = [
      ['isAdmin', 'POST', '/identities', { ...newIdentity(), isAdmin: true }],
      ['isAdmin', 'POST', '/identities', { ...newIdentity(), ISADMIN: true }],
      ['permissions', 'POST', '/identities', { ...newIdentity(), permissions: ['service.read'] }],
      ['permissions', 'POST', '/identities', { ...newIdentity(), Permissions: ['service.read'] }],
    ];
    for (const target of [helper, t.somebody]) {
      refused.push(['isAdmin', 'PATCH', identity(target), { isAdmin: true }]);
      refused.push(['isAdmin', 'PATCH', identity(target), { isAdmin: false }]);
      refused.push(['permissions', 'PATCH', identity(target), { permissions: ['service.read'] }]);
      refused.push(['permissions', 'PATCH', identity(target), { permissions: [] }]);
      refused.push(['permissions', 'PATCH', identity(target), { PERMISSIONS: ['admin_readonly'] }]);
    }
    for (const [field, method, path, body] of refused) {
      expect(await send(helper, method, path, body), JSON.stringify(body)).toMatchObject(forAdmins(field));
    }
    for (const target of [helper, t.somebody]) {
      const replaced = await send(helper, 'PUT', identity(target), { ...newIdentity(), permissions: ['service'] });
      expect([replaced.status, replaced.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    }
    // What counts as not sent is not refused.
    const same = { isAdmin: null, permissions: null, isDefaultAdmin: true };
    expect(await send(helper, 'PATCH', identity(t.somebody), same)).toMatchObject(allowed);
    expect(await read(identity(t.somebody))).toMatchObject({
      isAdmin: false,
      isDefaultAdmin: false,
      permissions: null,
    });
    expect((await send(helper, 'POST', '/identities', { ...newIdentity(), permissions: [] })).status).toBe(201);
  });

  it('protect an identity from everybody who does not have all of its rights', async () => {
    const helper = await holder('identity', 'enrollment', 'ops');
    const other = await holder('identity.read', 'service.read');
    // The default administrator stays one whatever its flag says.
    const [root] = (await read('/identities?filter=isDefaultAdmin=true')) as { id: string }[];
    expect(await send(t.boss, 'PATCH', `/identities/${root?.id}`, { isAdmin: false })).toMatchObject(allowed);
    const defaultAdmin = { ...t.boss, ids: { ...t.boss.ids, identities: String(root?.id) } };
    for (const target of [t.boss, other, defaultAdmin]) {
      const before = await read(identity(target));
      for (const [method, path, body] of changesOf(target)) {
        expect(await send(helper, method, path, body), `${method} ${path}`).toMatchObject(lacking);
      }
      expect(await read(identity(target))).toEqual(before);
    }
    for (const { token } of [t.boss, other]) {
      expect((await t.server.wire('GET', '/edge/client/v1/current-identity', { token })).status).toBe(200);
    }
    for (const target of [t.somebody, await holder('identity.read', 'ops.delete')]) {
      for (const [method, path, body] of changesOf(target)) {
        // The session has ended when the identity was disabled.
        const expected = path.startsWith('/api-sessions') ? [404] : [200, 201];
        expect(expected, `${method} ${path}`).toContain((await send(helper, method, path, body)).status);
      }
    }
    expect(await send(t.boss, 'PATCH', `/identities/${root?.id}`, { isAdmin: true })).toMatchObject(allowed);
  });

  it('protect an administrator from who can read everything', async () => {
    const reader = await holder('admin_readonly');
    for (const [method, path, body] of changesOf(t.boss)) {
      expect((await send(reader, method, path, body)).status, `${method} ${path}`).toBe(401);
    }
  });

  it('do not let somebody choose the policy by which they sign in themselves', async () => {
    const [helper, reader] = [await holder('identity'), await holder('identity.update')];
    const looser = await addPolicy(t.server, t.admin, { name: randomUUID() });
    for (const own of [helper, reader]) {
      for (const body of [{ authPolicyId: looser }, { AUTHPOLICYID: looser }, { authPolicyId: randomUUID() }]) {
        expect(await send(own, 'PATCH', identity(own), body)).toMatchObject(forAdmins('authPolicyId'));
      }
      for (const authPolicyId of ['default', '', null]) {
        expect(await send(own, 'PATCH', identity(own), { authPolicyId })).toMatchObject(allowed);
      }
      expect(await read(identity(own))).toMatchObject({ authPolicyId: 'default' });
    }
    expect(await send(helper, 'PATCH', identity(t.somebody), { authPolicyId: looser })).toMatchObject(allowed);
    expect(await send(t.boss, 'PATCH', identity(t.boss), { authPolicyId: looser })).toMatchObject(allowed);
    expect(await send(t.boss, 'PATCH', identity(helper), { authPolicyId: looser })).toMatchObject(allowed);
    expect(await send(helper, 'PATCH', identity(helper), { authPolicyId: '' })).toMatchObject(
      forAdmins('authPolicyId'),
    );
  });

  it('do not let anybody take away their own second factor', async () => {
    const helper = await holder('identity', 'auth-policy');
    expect(await send(helper, 'DELETE', `${identity(helper)}/mfa`)).toMatchObject(lacking);
    const own = await addPolicy(t.server, t.admin, { name: randomUUID(), secondary: { requireTotp: false } });
    const other = await addPolicy(t.server, t.admin, { name: randomUUID(), secondary: { requireTotp: false } });
    const change = { tags: { floor: 3 } };
    expect(await send(helper, 'PATCH', `/auth-policies/${own}`, change)).toMatchObject(allowed);
    await t.manage('PATCH', identity(helper), { authPolicyId: own });
    expect(await send(helper, 'PATCH', `/auth-policies/${own}`, change)).toMatchObject(lacking);
    expect(await send(helper, 'PATCH', `/auth-policies/${other}`, change)).toMatchObject(allowed);
    expect(await send(t.boss, 'DELETE', `${identity(t.boss)}/mfa`)).toMatchObject(allowed);
  });

  it('let everybody change what is their own', async () => {
    const helper = await holder('identity');
    expect(await send(helper, 'PATCH', identity(helper), { tags: { floor: 3 } })).toMatchObject(allowed);
    const body = { currentPassword: helper.password, password: 'Another password of it!' };
    const path = `/current-identity/authenticators/${helper.ids.authenticators}`;
    expect(await send(helper, 'PATCH', path, body)).toMatchObject(allowed);
    expect(await read(identity(helper))).toMatchObject({ permissions: ['identity'] });
  });
});
