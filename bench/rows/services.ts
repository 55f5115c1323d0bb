import { call, sessionPath } from '../call.ts';
import { load } from '../load.ts';
import type { Network } from '../network.ts';
import { onBothStores } from '../network.ts';
import type { Contender, Figures } from '../rounds.ts';
import { inRounds, median } from '../rounds.ts';
import type { Row } from '../row.ts';
import { printTable } from '../table.ts';

const updatesPath = '/edge/client/v1/current-api-session/service-updates';
const servicesPath = '/edge/client/v1/services?limit=10';
const size = '100,000 identities, 10,000 services and 1,000 service policies';

/** How long a page of the services of an identity takes in a large network, and session checks beside such pages. */
export const services: Row = async (bench) => {
  await onBothStores(bench.processes, async (stores, start) => {
    const network = await start();
    const { id, token } = network.user;
    const ofIdentity = `/edge/management/v1/identities/${id}/services?limit=10`;
    const pages = await inRounds(
      [
        oneByOne('a session check', network, { path: sessionPath, token }),
        oneByOne('service updates', network, { path: updatesPath, token }),
        oneByOne('own services, a page of 10', network, { path: servicesPath, token }),
        oneByOne('services of an identity, a page of 10', network, { path: ofIdentity, token: network.token }),
      ],
      bench,
    );
    printTable(`one request on ${stores} with ${size}`, pages);
    const checks = await inRounds(
      [
        checksBeside('idle', network, null),
        checksBeside('beside pages of services', network, servicesPath),
        checksBeside('beside service updates', network, updatesPath),
      ],
      bench,
    );
    printTable(`session checks on ${stores} beside one client`, checks);
  });
};

interface Request {
  readonly path: string;
  readonly token: string;
}

/** One request after the other. */
export function oneByOne(name: string, server: Network, { path, token }: Request): Contender {
  return {
    name,
    async measure(seconds): Promise<Figures> {
      const times: number[] = [];
      const before = await server.cpu();
      for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
        const startedAt = performance.now();
        await call(server.url + path, { token });
        times.push(performance.now() - startedAt);
      }
      return { time: median(times), cpu: ((await server.cpu()) - before) / times.length };
    },
  };
}

function checksBeside(name: string, { url, token, user }: Network, path: string | null): Contender {
  return {
    name,
    async measure(seconds): Promise<Figures> {
      let isOver = false;
      const repeat = async () => {
        while (path && !isOver) await call(url + path, { token: user.token });
      };
      const repeating = repeat();
      const { p99 } = await load({ url: url + sessionPath, token, seconds, connections: 4 });
      isOver = true;
      await repeating;
      return { p99 };
    },
  };
}
