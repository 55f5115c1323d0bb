import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

const management = '/edge/management/v1';

it.each(places)(
  'a database of the version before services gets them, and keeps its configs and posture checks, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    {
      await using old = await openOldDatabase(options, '0013-posture-checks');
      const made = '2024-02-03T04:05:06.789Z';
      const base = { createdAt: made, updatedAt: made, tags: '{}' };
      await old.insert('configs', { ...base, id: 'old', name: 'old', configTypeId: 'host.v2', data: '{"b":2}' });
      await old.insert('postureChecks', { ...base, id: 'mfa', name: 'mfa', typeId: 'MFA', version: 1 });
    }
    await using server = await startController(options);
    const token = await server.signIn();
    const call = (method: string, path: string, body?: object) =>
      server.wire(method, management + path, { token, ...(body && { body }) });
    const service = { name: 'db', encryptionRequired: true, configs: ['old'] };
    const { id } = (await call('POST', '/services', service)).body.data;
    const roles = { identityRoles: ['#all'], serviceRoles: [`@${id}`], postureCheckRoles: ['@mfa'] };
    const policy = { name: 'all', type: 'Dial', semantic: 'AnyOf', ...roles };
    expect((await call('POST', '/service-policies', policy)).status).toBe(201);
    expect((await call('GET', `/services/${id}`)).body.data).toMatchObject({
      permissions: ['Dial'],
      configs: ['old'],
      postureQueries: [{ postureQueries: [{ id: 'mfa' }] }],
    });
    expect((await call('GET', '/identities/anna/services')).body.data).toMatchObject([{ id }]);
  },
);
