import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

const terminators = '/edge/management/v1/terminators';
const times = { createdAt: '2026-01-02T03:04:05.678Z', updatedAt: '2026-01-02T03:04:05.678Z', tags: '{}' };

it.each(places)(
  'terminators of the version before keep their hosts, to whom their instance ids belong, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    {
      await using old = await openOldDatabase(options, '0021-audit-log');
      const service = { encryptionRequired: 0, terminatorStrategy: 'smartrouting', maxIdleTimeMillis: 0 };
      await old.insert('services', { ...times, ...service, id: 'wiki', name: 'wiki' });
      const router = { cost: 0, noTraversal: 0, disabled: 0, isVerified: 0 };
      await old.insert('transitRouters', { ...times, ...router, id: 'east', name: 'east' });
      const terminator = { serviceId: 'wiki', routerId: 'east', cost: 0, precedence: 'default' };
      await old.insert(
        'terminators',
        { ...times, ...terminator, id: 'hosted', binding: 'edge', address: 'hosted', identity: 'main' },
        { ...times, ...terminator, id: 'made', binding: 'transport', address: 'tcp:db:1', identity: 'other' },
      );
      const hosted = { terminatorId: 'hosted', sessionId: 'ended', hostId: 'anna', peerData: '[]' };
      await old.insert('terminatorHosts', hosted);
    }
    await using server = await startController(options);
    const token = await server.signIn();
    const { body } = await server.wire('GET', `${terminators}?filter=hostId = "anna"`, { token });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['hosted']);
    const add = async (identity: string) => {
      const made = { service: 'wiki', router: 'east', binding: 'transport', address: 'tcp:db:2', identity };
      return (await server.wire('POST', terminators, { token, body: made })).status;
    };
    expect([await add('main'), await add('other')]).toEqual([400, 201]);
  },
);
