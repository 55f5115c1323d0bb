import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

const management = '/edge/management/v1';

it.each(places)(
  'a database of the version before posture checks gets them, and keeps its configs, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    {
      await using old = await openOldDatabase(options, '0012-configs');
      const made = '2024-02-03T04:05:06.789Z';
      const base = { createdAt: made, updatedAt: made, tags: '{"a":1}' };
      await old.insert('configs', { ...base, id: 'old', name: 'old', configTypeId: 'host.v2', data: '{"b":2}' });
    }
    await using server = await startController(options);
    const token = await server.signIn();
    const call = (method: string, path: string, body?: object) =>
      server.wire(method, management + path, { token, ...(body && { body }) });
    expect((await call('GET', '/configs/old')).body.data).toMatchObject({ tags: { a: 1 }, data: { b: 2 } });
    expect((await call('GET', '/posture-check-types')).body.data).toHaveLength(5);
    const check = { name: 'domain', typeId: 'DOMAIN', domains: ['example'] };
    expect((await call('POST', '/posture-checks', check)).status).toBe(201);
  },
);
