import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

const management = '/edge/management/v1';

it.each(places)(
  'identities of the version before permissions have none, and can get some, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    {
      await using _old = await openOldDatabase(options, '0014-services');
    }
    await using server = await startController(options);
    const token = await server.signIn();
    const call = (method: string, path: string, body?: object) =>
      server.wire(method, management + path, { token, ...(body && { body }) });
    const permissions = async () => (await call('GET', '/identities/anna')).body.data.permissions;
    expect(await permissions()).toBeNull();
    expect((await call('PATCH', '/identities/anna', { permissions: ['service'] })).status).toBe(200);
    expect(await permissions()).toEqual(['service']);
  },
);
