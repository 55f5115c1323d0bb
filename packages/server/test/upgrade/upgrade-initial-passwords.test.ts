import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

it.each(places)('passwords from before are not asked to be changed, and new ones are, on $stores', async ({ open }) => {
  const options = await emptyPlace(open);
  await makeOldDatabase(options, Date.now());
  await using server = await startController({ ...options, changeInitialPasswords: true });
  const token = await server.signIn();
  const identities = '/edge/management/v1/identities';
  expect((await server.wire('GET', identities, { token })).status).toBe(200);
  const body = { name: 'new', type: 'User', isAdmin: true };
  const created = await server.wire('POST', identities, { token, body });
  const credentials = { username: 'new user', password: 'an initial password' };
  const updb = { method: 'updb', identityId: created.body.data.id, ...credentials };
  const added = await server.wire('POST', '/edge/management/v1/authenticators', { token, body: updb });
  expect(added.status, added.text).toBe(201);
  expect((await server.wire('GET', identities, { token: await server.signIn(credentials) })).status).toBe(401);
});
