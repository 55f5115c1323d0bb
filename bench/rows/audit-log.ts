import { join } from 'node:path';
import { freshDatabase, startPrivatePostgres } from '../../packages/server/test/support/postgres.ts';
import { credentials, signInPath } from '../call.ts';
import { enrollDevice } from '../client-certificates.ts';
import { createProcesses } from '../processes.ts';
import type { Contender } from '../rounds.ts';
import { inRounds, meanOf } from '../rounds.ts';
import type { Bench, Row } from '../row.ts';
import type { Server } from '../servers.ts';
import { startTogether } from '../servers.ts';
import { hasAb, signInsByAb } from '../sign-ins-by-ab.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';
import { certificateSignIn } from './certificate-sign-ins.ts';

/** Sign-ins with and without entries in the audit log, on both databases. */
export const auditLog: Row = async (bench) => {
  await measure(bench, 'SQLite', async () => ({}));
  await using postgres = await startPrivatePostgres({ fsync: true });
  // They end before their database does.
  await using processes = createProcesses();
  await measure({ ...bench, processes }, 'PostgreSQL and Redis', async () => ({
    database: await freshDatabase(postgres.url),
    redis: await processes.startRedis(),
  }));
};

type OpenStores = () => Promise<{ readonly database?: string; readonly redis?: string }>;

async function measure(bench: Bench, stores: string, open: OpenStores): Promise<void> {
  const options = async (name: string, audit: boolean) => ({ audit, name: `${stores} ${name}`, ...(await open()) });
  const servers = await startTogether(bench.processes, [
    await options('off', false),
    await options('on', true),
    await options('off again', false),
    await options('on again', true),
  ]);
  const [off, on, offAgain, onAgain] = await Promise.all(servers.map((server) => contenders(bench, server)));
  if (!off || !on || !offAgain || !onAgain) return;
  const compare = async (title: string, work: keyof Contenders) => {
    const results = await inRounds([off[work], on[work], offAgain[work], onAgain[work]], bench);
    const everySecond = (first: 0 | 1) => results.filter((_, at) => at % 2 === first);
    printTable(title, [meanOf('audit log off', everySecond(0)), meanOf('audit log on', everySecond(1))]);
  };
  const generator = hasAb ? 'ab' : 'Node, which is slower than the server: install ab (ApacheBench)';
  await compare(`password sign-ins on ${stores}`, 'passwords');
  await compare(`certificate sign-ins on ${stores} from ${generator}; 8 at once`, 'few');
  await compare(`certificate sign-ins on ${stores} from ${generator}; 32 at once`, 'many');
}

interface Contenders {
  readonly passwords: Contender;
  /** With a certificate. All that come at about the same time share one flush to the disk. */
  readonly few: Contender;
  readonly many: Contender;
}

async function contenders({ processes }: Bench, server: Server): Promise<Contenders> {
  const name = `port ${new URL(server.url).port}`;
  const directory = join(processes.directory, `device at ${name}`);
  const device = await enrollDevice(server.url, directory);
  const byCertificate = (atOnce: number) =>
    hasAb
      ? signInsByAb(name, server, { device, atOnce, directory })
      : certificateSignIn(name, server, { device, atOnce });
  return {
    passwords: underLoad(name, server, { path: signInPath, connections: 8, body: credentials }),
    few: byCertificate(8),
    many: byCertificate(32),
  };
}
