import { join } from 'node:path';
import { freshDatabase, startPrivatePostgres } from '../../packages/server/test/support/postgres.ts';
import { credentials, signInPath } from '../call.ts';
import { enrollDevice } from '../client-certificates.ts';
import { createProcesses } from '../processes.ts';
import type { Contender } from '../rounds.ts';
import { inRounds } from '../rounds.ts';
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
  const [off, on] = await startTogether(bench.processes, [
    { audit: false, name: `${stores} off`, ...(await open()) },
    { name: `${stores} on`, ...(await open()) },
  ]);
  if (!off || !on) return;
  const without = await contenders(bench, 'audit log off', off);
  const withLog = await contenders(bench, 'audit log on', on);
  const generator = hasAb ? 'ab' : 'Node, which is slower than the server: install ab (ApacheBench)';
  printTable(`password sign-ins on ${stores}`, await inRounds([without.passwords, withLog.passwords], bench));
  const title = `certificate sign-ins on ${stores} from ${generator}`;
  printTable(`${title}; 8 at once`, await inRounds([without.few, withLog.few], bench));
  printTable(`${title}; 32 at once`, await inRounds([without.many, withLog.many], bench));
}

interface Contenders {
  readonly passwords: Contender;
  /** With a certificate. All that come at about the same time share one flush to the disk. */
  readonly few: Contender;
  readonly many: Contender;
}

async function contenders({ processes }: Bench, name: string, server: Server): Promise<Contenders> {
  const directory = join(processes.directory, `device at ${new URL(server.url).port}`);
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
