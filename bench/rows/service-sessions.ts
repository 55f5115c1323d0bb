import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionPath } from '../call.ts';
import type { Work } from '../load.ts';
import { load } from '../load.ts';
import type { Network } from '../network.ts';
import { onBothStores, post } from '../network.ts';
import type { Contender, Figures } from '../rounds.ts';
import { inRounds } from '../rounds.ts';
import type { Row } from '../row.ts';
import { printTable } from '../table.ts';

const api = '/edge/management/v1';
const connections = 32;

/** How often a client can ask for sessions of services in a large network, beside session checks. */
export const serviceSessions: Row = async (bench) => {
  await onBothStores(bench.processes, async (stores, start) => {
    const network = await start();
    await giveEverything(network);
    const url = `${network.url}/edge/client/v1/sessions`;
    const ids = join(bench.processes.directory, 'service-ids');
    writeFileSync(ids, network.services.join('\n'));
    const [serviceId] = network.services;
    const results = await inRounds(
      [
        asUser('a session check', network, { url: network.url + sessionPath }),
        asUser('POST /sessions for a service', network, { url, body: JSON.stringify({ serviceId }) }),
        asUser('POST /sessions, another service each time', network, { url, body: '{"serviceId":"[<id>]"}', ids }),
      ],
      bench,
    );
    printTable(
      `sessions on ${stores} with 10,000 services and 1,001 service policies, ${connections} connections`,
      results,
    );
  });
};

/** The user may dial all services through an edge router. */
async function giveEverything(network: Network): Promise<void> {
  const add = (path: string, body: object) =>
    post(network, api + path, { name: 'of the user', ...body }, network.token);
  const all = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
  await add('/edge-routers', {});
  await add('/edge-router-policies', { ...all, identityRoles: ['#all'] });
  await add('/service-edge-router-policies', { ...all, serviceRoles: ['#all'] });
  const roles = { identityRoles: [`@${network.user.id}`], serviceRoles: ['#all'] };
  await add('/service-policies', { type: 'Dial', semantic: 'AnyOf', ...roles });
}

/** Each measurement has a new API session, which has no sessions of services yet. */
function asUser(name: string, server: Network, work: Pick<Work, 'url' | 'body' | 'ids'>): Contender {
  return {
    name,
    async measure(seconds): Promise<Figures> {
      const token = await server.signIn();
      const before = await server.cpu();
      const { rate, p99, requests } = await load({ ...work, token, seconds, connections });
      return { rate, p99, cpu: ((await server.cpu()) - before) / requests };
    },
  };
}
