import { join } from 'node:path';
import { enrollDevice, openConnections, signInRequest } from '../client-certificates.ts';
import type { Contender } from '../rounds.ts';
import { inRounds } from '../rounds.ts';
import type { Row } from '../row.ts';
import { printTable } from '../table.ts';

const atOnce = 8;

export const certificateSignIns: Row = async (bench) => {
  const server = await bench.servers.sqlite();
  const device = await enrollDevice(server.url, join(bench.processes.directory, 'device'));
  const contender = (name: string, request: { request?: string }): Contender => ({
    name,
    async measure(seconds) {
      const before = await server.cpu();
      const start = performance.now();
      const wantsMore = () => performance.now() - start < seconds * 1_000;
      const times = await openConnections({ url: server.url, device, atOnce, wantsMore, ...request });
      const elapsed = (performance.now() - start) / 1_000;
      const sorted = times.toSorted((a, b) => a - b);
      return {
        rate: times.length / elapsed,
        p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
        cpu: ((await server.cpu()) - before) / times.length,
      };
    },
  });
  const contest = [contender('mTLS handshake alone', {}), contender('sign-in', { request: signInRequest })] as const;
  printTable('certificate sign-ins, a connection for each', await inRounds(contest, bench));
};
