import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

const management = '/edge/management/v1';

it.each(places)(
  'a database of the version before configs gets them, and keeps all else, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    const identities = async () => {
      await using old = await openOldDatabase(options);
      return await old.query('select * from identities order by id');
    };
    {
      await using old = await openOldDatabase(options, '0011-claim-names');
      expect(await old.query('select id from identities')).not.toEqual([]);
    }
    const before = await identities();
    {
      await using server = await startController(options);
      const token = await server.signIn();
      const call = (method: string, path: string, body?: object) =>
        server.wire(method, management + path, { token, ...(body && { body }) });
      const names = async (path: string) =>
        (await call('GET', `${path}?limit=100`)).body.data.map(({ name }: { name: string }) => name).toSorted();
      expect(await names('/identity-types')).toEqual(['Default', 'Router']);
      expect(await names('/config-types')).toEqual([
        ...['host.v1', 'host.v2', 'intercept.v1', 'interfaces.v1', 'proxy.v1', 'router.link.v1'],
        ...['ziti-tunneler-client.v1', 'ziti-tunneler-server.v1'],
      ]);
      const { type } = (await call('GET', '/identities/anna')).body.data;
      expect((await call('GET', type._links.self.href.slice(1))).status).toBe(200);
      const config = { name: 'db', configTypeId: 'NH5p4FpGR', data: { protocol: 'tcp', address: 'db', port: 5432 } };
      expect((await call('POST', '/configs', config)).status).toBe(201);
      expect((await call('DELETE', '/config-types/interfaces.v1')).status).toBe(200);
    }
    // Later migrations add columns.
    expect(await identities()).toEqual(expect.arrayContaining(before.map((row) => expect.objectContaining(row))));
    // Another start brings back nothing that an administrator has deleted.
    await using server = await startController(options);
    const token = await server.signIn();
    expect((await server.wire('GET', `${management}/config-types/interfaces.v1`, { token })).status).toBe(404);
    expect((await server.wire('GET', `${management}/configs?filter=name = "db"`, { token })).body.data).toHaveLength(1);
  },
);
