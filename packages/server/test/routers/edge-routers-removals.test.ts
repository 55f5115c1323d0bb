import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestController } from '@edge-controller/sdk/testing';
import { expect, it } from 'vitest';
import { storePairs } from '../support/controller.ts';
import { danglingInFile, danglingInRedis } from '../support/dangling.ts';
import { RemovalsRun, removalKinds } from './edge-routers/removals-run.ts';

/** `npm run removals -- 1000` takes more, with more connections. */
const steps = Number(process.env.EDGE_TEST_REMOVALS ?? removalKinds.length + 1);
const options = steps > 100 ? { cells: 10, connections: 20 } : { cells: 4, connections: 4 };
/** Steps between two looks into the stores. */
const checkInterval = 50;

it.each(storePairs)(
  'what is taken away ends connections within half a second, opens none, and leaves nothing in $stores',
  { timeout: 60_000 + steps * 5_000 },
  async ({ open }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'edge-removals-'));
    const { databaseUrl, redisUrl } = await open();
    const stores = { options: { dataDir, ...(databaseUrl && { databaseUrl }) } };
    const settings = { dataDir, ...(databaseUrl && redisUrl && { databaseUrl, redisUrl }) };
    {
      await using controller = await startTestController(settings);
      const run = await RemovalsRun.start(controller, options);
      for (let step = 0; step < steps; step += 1) {
        // Each kind once, then by chance.
        const at = step < removalKinds.length ? step : Math.floor(Math.random() * removalKinds.length);
        const kind = removalKinds[at] ?? 'session';
        await run.remove(kind, Math.floor(Math.random() * run.size));
        if (step % checkInterval === 0) await run.checkStores(stores);
      }
      await run.end(stores);
      if (steps > 100)
        console.log(
          `${steps} removals ended ${run.closed} connections, the slowest ${Math.round(run.slowest)} ms after the response`,
        );
      expect(run.closed).toBeGreaterThan(steps);
    }
    expect(redisUrl ? (await danglingInRedis(redisUrl)).lost : danglingInFile(dataDir)).toEqual([]);
    rmSync(dataDir, { recursive: true, force: true });
  },
);
