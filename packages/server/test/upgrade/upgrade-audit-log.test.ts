import { expect, it } from 'vitest';
import { entriesOf, verified } from '../support/audit.ts';
import { startController } from '../support/controller.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

it.each(places)(
  'the log of a database of the version before begins with the first start, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    {
      await using _old = await openOldDatabase(options, '0020-terminator-hosts');
    }
    await using server = await startController(options);
    const token = await server.signIn();
    await server.wire('PATCH', '/edge/management/v1/identities/anna', { token, body: { roleAttributes: ['new'] } });
    const entries = await entriesOf(server, token);
    expect(entries[0]).toMatchObject({ sequence: 1, event: 'controller.started' });
    expect(entries.at(-1)).toMatchObject({ event: 'entity.updated', entityId: 'anna' });
    expect(await verified(options)).toMatchObject({ first: 1, last: entries.length, findings: [] });
  },
);
