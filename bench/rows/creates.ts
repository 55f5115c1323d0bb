import { join } from 'node:path';
import { openFile } from '../../packages/server/src/storage/database/sqlite/open-file.ts';
import { load } from '../load.ts';
import type { Contender } from '../rounds.ts';
import { inRounds, median } from '../rounds.ts';
import type { Row } from '../row.ts';
import { printTable } from '../table.ts';

const path = '/edge/management/v1/identities';
const body = JSON.stringify({ name: 'identity [<id>]', type: 'User', isAdmin: false });

/** Identities that 32 clients create at once; each response means that the identity is on the disk. */
export const creates: Row = async (bench) => {
  const controller = await bench.servers.sqlite();
  const pki = join(bench.processes.directory, 'sqlite/pki');
  const child = await bench.processes.start(join(import.meta.dirname, '../bare-creates.ts'), {
    BENCH_DATA: join(bench.processes.directory, 'bare-creates.db'),
    BENCH_KEY: join(pki, 'server.key'),
    BENCH_CERT: join(pki, 'server.pem'),
  });
  const bare = {
    url: (child.ready as { url: string }).url,
    async cpu() {
      const { cpu } = (await child.ask('cpu')) as { cpu: NodeJS.CpuUsage };
      return cpu.user + cpu.system;
    },
  };
  const contender = (name: string, { url, cpu }: typeof bare): Contender => ({
    name,
    async measure(seconds) {
      const before = await cpu();
      const work = { url: url + path, token: controller.token, body, seconds, connections: 32 };
      const { rate, p99, requests } = await load(work);
      return { rate, p99, cpu: ((await cpu()) - before) / requests };
    },
  });
  const results = await inRounds(
    [contender('bare Koa, one flush each', bare), contender('controller on SQLite', controller)],
    bench,
  );
  printTable('identity creates, 32 connections', results);
  process.stdout.write(`  one flush of this disk takes ${flushTime(bench.processes.directory).toFixed(2)} ms\n`);
};

/** Milliseconds (median) of one transaction with a single short row, which is almost only the flush. */
function flushTime(directory: string): number {
  const database = openFile(join(directory, 'flushes.db'));
  database.pragma('synchronous = FULL');
  database.exec('create table flushes (at integer)');
  const insert = database.prepare('insert into flushes values (?)');
  const times = Array.from({ length: 500 }, (_, at) => {
    const startedAt = performance.now();
    insert.run(at);
    return performance.now() - startedAt;
  });
  database.close();
  return median(times);
}
