import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

const management = '/edge/management/v1';

it.each(places)('the policies of the version before service updates move them, on $stores', async ({ open }) => {
  const options = await emptyPlace(open);
  await makeOldDatabase(options, Date.now());
  {
    await using old = await openOldDatabase(options, '0014-services');
    const made = '2024-02-03T04:05:06.789Z';
    const base = { createdAt: made, updatedAt: made, tags: '{}' };
    await old.insert('servicePolicies', { ...base, id: 'old', name: 'old', type: 'Dial', semantic: 'AllOf' });
    await old.insert('servicePolicies_identityRoles', { ownerId: 'old', value: '#a', need: 1 });
    await old.insert('servicePolicies_serviceRoles', { ownerId: 'old', value: '#all', need: 1 });
  }
  await using server = await startController(options);
  const token = await server.signIn();
  const call = (method: string, path: string, body: object) => server.wire(method, management + path, { token, body });
  const user = await server.addUser(token);
  await call('PATCH', `/identities/${user.id}`, { roleAttributes: ['a'] });
  const own = { token: await server.signIn(user) };
  const lastChange = async () =>
    (await server.wire('GET', '/edge/client/v1/current-api-session/service-updates', own)).body.data.lastChangeAt;
  const first = await lastChange();
  expect(await lastChange()).toBe(first);
  expect((await call('POST', '/services', { name: 'db', encryptionRequired: true })).status).toBe(201);
  const second = await lastChange();
  expect(Date.parse(second)).toBeGreaterThan(Date.parse(first));
  expect((await call('PATCH', '/service-policies/old', { identityRoles: [] })).status).toBe(200);
  expect(Date.parse(await lastChange())).toBeGreaterThan(Date.parse(second));
});
