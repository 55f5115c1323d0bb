import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSealer } from '../../packages/server/src/core/secrets/sealer.ts';
import { call, sessionPath } from '../call.ts';
import { copyRows } from '../copy-rows.ts';
import { load } from '../load.ts';
import type { Contender } from '../rounds.ts';
import { inRounds } from '../rounds.ts';
import type { Row } from '../row.ts';
import type { Server } from '../servers.ts';
import { startController } from '../servers.ts';
import { printTable } from '../table.ts';

const identities = 50_000;
const sessions = 250_000;

const management = '/edge/management/v1';
const search = new URLSearchParams({ filter: 'name icontains "NUMBER 4999"', limit: '500' });
const newest = new URLSearchParams({ sort: 'createdAt desc', limit: '500' });

/** How much longer session checks take while an administrator lists many identities and API sessions. */
export const lists: Row = async (bench) => {
  const server = await startController(bench.processes, { name: 'lists' });
  const folder = join(bench.processes.directory, 'lists');
  const sealer = createSealer(Buffer.from(readFileSync(join(folder, 'keys/seal.key'), 'utf8'), 'base64'));
  copyRows({
    file: join(folder, 'entities.db'),
    table: 'identities',
    count: identities,
    columns: { id: `'bench-' || n`, name: `'Identity number ' || n`, isDefaultAdmin: '0', externalId: 'null' },
  });
  copyRows({
    file: join(folder, 'sessions.db'),
    table: 'sessions',
    count: sessions,
    columns: {
      id: `'c' || n`,
      sealedToken: `seal('c' || n)`,
      tokenHash: 'hex(randomblob(32))',
      createdAt: 'createdAt - (n * 7919) % 86400000',
    },
    seal: (id) => sealer.seal('a token that nobody has', id),
  });
  const check = async (seconds: number) => {
    const { p99 } = await load({ url: server.url + sessionPath, token: server.token, seconds, connections: 4 });
    return { p99 };
  };
  const beside = (name: string, path: string): Contender => ({
    name,
    async measure(seconds) {
      let isOver = false;
      const listing = (async () => {
        while (!isOver) await list(server, path);
      })();
      const figures = await check(seconds);
      isOver = true;
      await listing;
      return figures;
    },
  });
  const results = await inRounds(
    [
      { name: 'idle', measure: check },
      beside(`beside identities, icontains`, `${management}/identities?${search}`),
      beside('beside sessions, newest first', `${management}/api-sessions?${newest}`),
    ],
    bench,
  );
  printTable(`session checks beside lists of ${identities} identities and ${sessions} API sessions`, results);
  await printDurations(server, [`${management}/identities?${search}`, `${management}/api-sessions?${newest}`]);
};

function list({ url, token }: Server, path: string): Promise<unknown> {
  return call(url + path, { token });
}

async function printDurations(server: Server, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const startedAt = performance.now();
    await list(server, path);
    process.stdout.write(
      `  ${(performance.now() - startedAt).toFixed(0).padStart(5)} ms  ${decodeURIComponent(path)}\n`,
    );
  }
}
