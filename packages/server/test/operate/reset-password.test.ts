import { describe, expect, it } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { addPolicy, addUserUnder, authPolicies, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { runExecutable } from '../support/executable.ts';
import { sql } from '../support/sql.ts';
import { enrollTotp } from '../support/totp.ts';

const management = '/edge/management/v1';
const current = '/edge/client/v1/current-api-session';

/** Runs `admin reset-password` beside a controller that serves. Returns what it prints and the new credentials. */
async function reset({ dataDir, databaseUrl, redisUrl }: ControllerOptions) {
  const command = runExecutable(['admin', 'reset-password'], {
    EDGE_DATA_DIR: dataDir ?? '',
    ...(databaseUrl ? { EDGE_DATABASE_URL: databaseUrl } : {}),
    ...(redisUrl ? { EDGE_REDIS_URL: redisUrl } : {}),
  });
  expect(await command.exited, command.stderr()).toBe(0);
  const [, username = ''] = /^"(.*)" has a new password/m.exec(command.stdout()) ?? [];
  const [, password = ''] = /shown only now: (\S+)/.exec(command.stdout()) ?? [];
  return { printed: command.stdout(), username, password };
}

/** The default administrator, and another one under a policy of its own that closes doors. */
async function withMallory(server: TestController) {
  const root = await server.signIn();
  const authPolicyId = await addPolicy(server, root, { name: 'of Mallory' });
  const mallory = await addUserUnder(server, root, { authPolicyId, isAdmin: true });
  const token = await server.signIn(mallory);
  const manage = async (method: string, path: string, body?: object) => {
    const response = await server.wire(method, `${management}/${path}`, { token, ...(body ? { body } : {}) });
    expect([200, 201], `${method} ${path} ${response.text}`).toContain(response.status);
    return response.body.data;
  };
  const [admin] = await manage('GET', 'identities?filter=isDefaultAdmin=true');
  return { root, mallory, manage, adminId: admin.id as string };
}

describe.each(storePairs)('admin reset-password on $stores', ({ open }) => {
  it('gives a free user name when the authenticator is deleted and another identity has the name', async () => {
    await using server = await startController(await open());
    const { mallory, manage, adminId } = await withMallory(server);
    const [own] = await manage('GET', `identities/${adminId}/authenticators`);
    await manage('DELETE', `authenticators/${own.id}`);
    const [theirs] = await manage('GET', `identities/${mallory.id}/authenticators`);
    await manage('PATCH', `authenticators/${theirs.id}`, { username: adminCredentials.username });

    const { printed, username, password } = await reset(server.options);
    expect(username).toBe('admin-2');
    expect(printed).toContain('Another identity has the user name "admin".');
    const token = await server.signIn({ username, password });
    const session = await server.wire('GET', current, { token });
    expect(session.body.data.identityId).toBe(adminId);
    expect(await server.signIn({ ...mallory, username: 'admin' })).toBeTruthy();
  });

  it('opens the door when the identity, its policy and the default policy are closed', async () => {
    await using server = await startController(await open());
    const { root, manage, adminId } = await withMallory(server);
    await enrollTotp(server.wire, root);
    const updb = { ...policyRules.primary.updb, allowed: false };
    const { id: authPolicyId } = await manage('POST', 'auth-policies', {
      ...policyRules,
      name: 'no passwords',
      primary: { ...policyRules.primary, updb },
    });
    await manage('PATCH', `identities/${adminId}`, { authPolicyId, isAdmin: false, name: 'nobody' });
    await manage('PATCH', 'auth-policies/default', { name: 'closed', primary: { updb: { allowed: false } } });
    await manage('POST', `identities/${adminId}/disable`, { durationMinutes: 0 });

    const { printed, username, password } = await reset(server.options);
    expect(username).toBe(adminCredentials.username);
    expect(printed).toContain('The auth policy "default" forbade passwords');
    const token = await server.signIn({ username, password });
    expect((await server.wire('GET', authPolicies, { token })).status).toBe(200);
    expect((await server.wire('GET', current, { token: root })).status).toBe(401);
  });

  it('keeps a policy that requires TOTP, because the administrator can enroll it', async () => {
    await using server = await startController(await open());
    const { root, manage } = await withMallory(server);
    await enrollTotp(server.wire, root);
    await manage('PATCH', 'auth-policies/default', { secondary: { requireTotp: true } });

    const token = await server.signIn(await reset(server.options));
    const before = await server.wire('GET', current, { token });
    expect(before.body.data.authQueries).toHaveLength(1);
    await enrollTotp(server.wire, token);
    expect((await server.wire('GET', authPolicies, { token })).status).toBe(200);
  });

  it('creates the administrator again when somebody has removed it from the database and has its names', async () => {
    await using server = await startController(await open());
    const { mallory, manage, adminId } = await withMallory(server);
    await sql(server, `delete from authenticators where "identityId" = '${adminId}'`);
    await sql(server, `delete from identities where "id" = '${adminId}'`);
    const [theirs] = await manage('GET', `identities/${mallory.id}/authenticators`);
    await manage('PATCH', `authenticators/${theirs.id}`, { username: adminCredentials.username });
    await manage('PATCH', `identities/${mallory.id}`, { name: 'Default Admin' });

    const { username, password } = await reset(server.options);
    expect(username).toBe('admin-2');
    const token = await server.signIn({ username, password });
    const found = await server.wire('GET', `${management}/identities?filter=isDefaultAdmin=true`, { token });
    expect(found.body.data).toMatchObject([{ name: 'Default Admin-2', isAdmin: true }]);
  });
});
