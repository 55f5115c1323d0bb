import { join } from 'node:path';
import { sessionPath } from '../call.ts';
import { inRounds } from '../rounds.ts';
import type { Bench, Row } from '../row.ts';
import type { ControllerOptions } from '../servers.ts';
import { startController } from '../servers.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';

/** Session checks of a controller that counts or traces, beside those of one that does neither. */
export const operations: Row = async (bench) => {
  const { ready } = await bench.processes.start(join(import.meta.dirname, '../trace-sink.ts'));
  const { url } = ready as { url: string };
  for (const store of ['SQLite', 'Redis']) {
    const results = await inRounds(
      [
        await contender(bench, store, { name: 'neither' }),
        await contender(bench, store, { name: 'metrics', metrics: true }),
        await contender(bench, store, { name: 'traces of 1 %', traces: { url, ratio: 0.01 } }),
        await contender(bench, store, { name: 'traces of all', traces: { url, ratio: 1 } }),
      ],
      bench,
    );
    printTable(`session checks on ${store} with metrics and traces, 32 connections`, results);
  }
};

async function contender({ processes }: Bench, store: string, options: ControllerOptions) {
  const redis = store === 'Redis' ? { redis: await processes.startRedis() } : {};
  const directory = `${options.name.replaceAll(/\W+/g, '-')}-${store}`;
  const server = await startController(processes, { ...options, ...redis, name: directory });
  return underLoad(options.name, server, { path: sessionPath, connections: 32 });
}
