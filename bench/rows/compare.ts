import { resolve } from 'node:path';
import { sessionPath } from '../call.ts';
import { inRounds } from '../rounds.ts';
import type { Bench, Row } from '../row.ts';
import type { ControllerOptions } from '../servers.ts';
import { startController } from '../servers.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';

/** Session checks of this checkout beside those of another one, which runs with its own `node_modules`. */
export const compare: Row = async (bench) => {
  const [path] = bench.words;
  if (path === undefined) throw new Error('compare needs the path of another checkout');
  const checkout = resolve(path);
  for (const store of ['SQLite', 'Redis']) {
    const results = await inRounds(
      [
        await contender(bench, store, { name: `other-${store}`, checkout }),
        await contender(bench, store, { name: `this-${store}` }),
      ],
      bench,
    );
    printTable(`session checks on ${store}, compared with ${checkout}`, results);
  }
};

async function contender({ processes }: Bench, store: string, options: ControllerOptions) {
  // Two checkouts may store different things under the same key: each has a Redis of its own.
  const stores = store === 'Redis' ? { redis: await processes.startRedis() } : {};
  const server = await startController(processes, { ...options, ...stores });
  const name = options.checkout ? 'other checkout' : 'this checkout';
  return underLoad(name, server, { path: sessionPath, connections: 32 });
}
