import { describe, expect, it, vi } from 'vitest';
import { startController } from '../support/controller.ts';
import { emptyPlaces, maintain } from '../support/maintenance.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { sql } from '../support/sql.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

vi.setConfig({ testTimeout: 60_000 });

describe.each(places)('migrate and migrate status on $stores', ({ stores, open }) => {
  it('say which migrations an older database has, and apply the missing ones', async () => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    {
      await using _old = await openOldDatabase(options, '0013-posture-checks');
    }
    const before = await maintain(options, 'migrate', 'status');
    expect(before).toMatchObject({ code: 0, stderr: '' });
    expect(before.stdout).toMatch(/^applied {2}0013-posture-checks\nmissing {2}0014-services$/m);
    expect(before.stdout).toMatch(/^13 applied, \d+ missing, 0 unknown$/m);
    // What only reads does not update it.
    for (const command of ['verify', 'export']) {
      const { code, stderr } = await maintain(options, 'audit', command);
      expect({ code, stderr }).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('run edge-controller migrate'),
      });
    }
    expect((await maintain(options, 'migrate', 'status')).stdout).toBe(before.stdout);
    expect(await maintain(options, 'migrate')).toMatchObject({ code: 0, stderr: '' });
    const after = JSON.parse((await maintain(options, 'migrate', 'status', '--json')).stdout);
    expect(after).toMatchObject({ missing: [], unknown: [] });
    expect(after.applied).toContain('0014-services');
    await using server = await startController(options);
    expect(server.url).not.toBe('');
  });

  it('name the migrations of a newer version, and touch nothing that is not theirs', async () => {
    const place = await emptyPlaces[stores]();
    const empty = await maintain(place, 'migrate', 'status');
    expect(empty).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0 applied, \d+ missing, 0 unknown$/m) });
    {
      await using server = await startController(place);
      // It only reads, so a controller may run.
      expect(await maintain(server.options, 'migrate', 'status')).toMatchObject({ code: 0 });
    }
    await sql({ options: place }, "insert into kysely_migration values ('9999-future', '2999-01-01T00:00:00.000Z')");
    const newer = await maintain(place, 'migrate', 'status');
    expect(newer).toMatchObject({ code: 3, stdout: expect.stringMatching(/^unknown {2}9999-future$/m) });
    const refused = await maintain(place, 'migrate');
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('9999-future') });
  });

  it('say what to do when the database cannot be used', async () => {
    const databaseUrl = 'postgres://somebody:hidden@127.0.0.1:1/d';
    const { code, stderr } = await maintain({ databaseUrl }, 'migrate', 'status');
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('to fix: start the store') });
    expect(stderr).not.toContain('hidden');
  });
});
