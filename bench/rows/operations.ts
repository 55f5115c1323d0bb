import { join } from 'node:path';
import { sessionPath } from '../call.ts';
import type { Contest } from '../rounds.ts';
import { inRounds, inShorterRounds } from '../rounds.ts';
import type { Bench, Row } from '../row.ts';
import type { ControllerOptions } from '../servers.ts';
import { startTogether } from '../servers.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';

/** Session checks of a controller that counts or traces, beside those of one that does neither, all in one process. */
export const operations: Row = async (bench) => {
  const { ready } = await bench.processes.start(join(import.meta.dirname, '../trace-sink.ts'));
  const { url } = ready as { url: string };
  for (const store of ['SQLite', 'Redis']) {
    const contest = await contendersOn(store, bench, [
      { name: 'neither' },
      { name: 'metrics', metrics: true },
      { name: 'traces of 1 %', traces: { url, ratio: 0.01 } },
      { name: 'traces of all', traces: { url, ratio: 1 } },
    ]);
    const results = await inRounds(contest, inShorterRounds(bench));
    printTable(`session checks on ${store} with metrics and traces, 32 connections`, results);
  }
};

async function contendersOn(store: string, { processes }: Bench, all: readonly ControllerOptions[]): Promise<Contest> {
  const options = all.map(async ({ name, ...rest }) => ({
    ...{ ...rest, name: `${name.replaceAll(/\W+/g, '-')}-${store}` },
    ...(store === 'Redis' && { redis: await processes.startRedis() }),
  }));
  const servers = await startTogether(processes, await Promise.all(options));
  return servers.map((server, at) =>
    underLoad(all[at]?.name ?? '', server, { path: sessionPath, connections: 32 }),
  ) as unknown as Contest;
}
