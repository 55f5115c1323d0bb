import { join } from 'node:path';
import type { Device } from '../client-certificates.ts';
import { enrollDevice, openConnections, signInRequest } from '../client-certificates.ts';
import type { Contender } from '../rounds.ts';
import { inRounds } from '../rounds.ts';
import type { Row } from '../row.ts';
import type { Server } from '../servers.ts';
import { printTable } from '../table.ts';

const atOnce = 8;

export const certificateSignIns: Row = async (bench) => {
  const server = await bench.servers.sqlite();
  const device = await enrollDevice(server.url, join(bench.processes.directory, 'device'));
  const contest = [
    contender('mTLS handshake alone', server, { device, atOnce }),
    certificateSignIn('sign-in', server, { device, atOnce }),
  ] as const;
  printTable('certificate sign-ins, a connection for each', await inRounds(contest, bench));
};

interface Work {
  readonly device: Device;
  /** How many connections at once. */
  readonly atOnce: number;
  readonly request?: string;
}

/** Sign-ins with the certificate of a device, a connection for each. */
export function certificateSignIn(name: string, server: Server, work: Work): Contender {
  return contender(name, server, { ...work, request: signInRequest });
}

function contender(name: string, server: Server, work: Work): Contender {
  return {
    name,
    async measure(seconds) {
      const before = await server.cpu();
      const start = performance.now();
      const wantsMore = () => performance.now() - start < seconds * 1_000;
      const times = await openConnections({ url: server.url, wantsMore, ...work });
      const elapsed = (performance.now() - start) / 1_000;
      const sorted = times.toSorted((a, b) => a - b);
      return {
        rate: times.length / elapsed,
        p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
        cpu: ((await server.cpu()) - before) / times.length,
      };
    },
  };
}
