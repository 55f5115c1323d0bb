import { join } from 'node:path';
import { call, sessionPath } from '../call.ts';
import { inRounds } from '../rounds.ts';
import type { Row } from '../row.ts';
import { startController } from '../servers.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';

const preload = join(import.meta.dirname, '../more-operations.ts');

/** What 240 further operations cost a session check: each path is looked up among more of them. */
export const moreOperations: Row = async (bench) => {
  const requests = { path: sessionPath, connections: 32 };
  const more = await startController(bench.processes, { name: 'more-operations', preload });
  // Rejects when the operations are not there.
  await call(`${more.url}/edge/management/v1/more-39/fixed-1`, { token: more.token });
  const results = await inRounds(
    [
      underLoad('as it is', await bench.servers.sqlite(), requests),
      underLoad('with 240 further operations', more, requests),
    ],
    bench,
  );
  printTable('session checks on SQLite, by the number of operations', results);
};
