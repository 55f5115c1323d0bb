import { join } from 'node:path';
import { freshDatabase, startTestPostgres } from '../../packages/server/test/support/postgres.ts';
import { credentials, signInPath } from '../call.ts';
import { enrollDevice } from '../client-certificates.ts';
import { createProcesses } from '../processes.ts';
import type { Contender } from '../rounds.ts';
import { inRounds } from '../rounds.ts';
import type { Bench, Row } from '../row.ts';
import { startController } from '../servers.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';
import { certificateSignIn } from './certificate-sign-ins.ts';

/** Sign-ins with and without entries in the audit log, on both databases. */
export const auditLog: Row = async (bench) => {
  await measure(bench, 'SQLite', async () => ({}));
  const postgres = await startTestPostgres();
  try {
    // They end before their database does.
    await using processes = createProcesses();
    await measure({ ...bench, processes }, 'PostgreSQL and Redis', async () => ({
      database: await freshDatabase(postgres.url),
      redis: await processes.startRedis(),
    }));
  } finally {
    await postgres.stop();
  }
};

type OpenStores = () => Promise<{ readonly database?: string; readonly redis?: string }>;

async function measure(bench: Bench, stores: string, open: OpenStores): Promise<void> {
  const off = await contenders(bench, 'audit log off', { audit: false, name: `${stores} off`, ...(await open()) });
  const on = await contenders(bench, 'audit log on', { name: `${stores} on`, ...(await open()) });
  printTable(`password sign-ins on ${stores}`, await inRounds([off.passwords, on.passwords], bench));
  printTable(`certificate sign-ins on ${stores}, 8 at once`, await inRounds([off.few, on.few], bench));
  printTable(`certificate sign-ins on ${stores}, 32 at once`, await inRounds([off.many, on.many], bench));
}

interface Contenders {
  readonly passwords: Contender;
  /** With a certificate. All that come at about the same time share one flush to the disk. */
  readonly few: Contender;
  readonly many: Contender;
}

async function contenders(
  { processes }: Bench,
  name: string,
  options: Parameters<typeof startController>[1],
): Promise<Contenders> {
  const server = await startController(processes, options);
  const device = await enrollDevice(server.url, join(processes.directory, `device of ${options.name}`));
  return {
    passwords: underLoad(name, server, { path: signInPath, connections: 8, body: credentials }),
    few: certificateSignIn(name, server, { device, atOnce: 8 }),
    many: certificateSignIn(name, server, { device, atOnce: 32 }),
  };
}
