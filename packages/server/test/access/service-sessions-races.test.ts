import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { everyStorePair, startController } from '../support/controller.ts';
import type { Network, NetworkUser } from '../support/network.ts';
import { createNetwork } from '../support/network.ts';
import { serviceSessionsLeft } from '../support/stored-sessions.ts';

interface Guarded {
  readonly user: NetworkUser;
  readonly serviceId: string;
  readonly checkId: string;
  readonly policyId: string;
}

interface Race {
  /** The statuses of a session that is asked for afterwards. */
  readonly refused: number;
  readonly take: (network: Network, guarded: Guarded) => Promise<unknown>;
  readonly giveBack?: (network: Network, guarded: Guarded) => Promise<unknown>;
}

const policyOf = ({ user, serviceId, checkId }: Pick<Guarded, 'user' | 'serviceId' | 'checkId'>) => ({
  ...{ identityRoles: [`@${user.id}`, '#staff'], serviceRoles: [`@${serviceId}`] },
  postureCheckRoles: [`@${checkId}`],
});
const say = (network: Network, { user, checkId: id }: Guarded, domain: string) =>
  network.as(user, 'POST', '/posture-response', { id, typeId: 'DOMAIN', domain });

const races: Readonly<Record<string, Race>> = {
  'the policy is deleted': {
    refused: 404,
    take: (network, { policyId }) => network.send('DELETE', `/service-policies/${policyId}`),
    giveBack: (network, guarded) => network.addPolicy(policyOf(guarded)),
  },
  'the policy selects others': {
    refused: 404,
    take: (network, { policyId }) => network.send('PATCH', `/service-policies/${policyId}`, { identityRoles: [] }),
    giveBack: (network, guarded) =>
      network.send('PATCH', `/service-policies/${guarded.policyId}`, { identityRoles: [`@${guarded.user.id}`] }),
  },
  'the posture check wants more': {
    refused: 409,
    take: (network, { checkId }) =>
      network.send('PATCH', `/posture-checks/${checkId}`, { typeId: 'DOMAIN', domains: ['another'] }),
    giveBack: (network, { checkId }) =>
      network.send('PATCH', `/posture-checks/${checkId}`, { typeId: 'DOMAIN', domains: ['office'] }),
  },
  'the device says something else': {
    refused: 409,
    take: (network, guarded) => say(network, guarded, 'home'),
    giveBack: (network, guarded) => say(network, guarded, 'office'),
  },
  'the service is deleted': {
    refused: 404,
    take: (network, { serviceId }) => network.send('DELETE', `/services/${serviceId}`),
  },
  'its API session ends': {
    refused: 401,
    take: (network, { user }) => network.as(user, 'DELETE', '/current-api-session'),
  },
  'the identity is deleted': {
    refused: 401,
    take: (network, { user }) => network.send('DELETE', `/identities/${user.id}`),
  },
};

describe.each(everyStorePair)('sessions that are opened while something changes on $stores', ({ open }) => {
  let servers: readonly TestController[];
  let network: Network;
  beforeAll(async () => {
    const options = { ...(await open()), sealKey: Buffer.alloc(32, 7) };
    const first = await startController(options);
    servers = options.redisUrl ? [first, await startController(options)] : [first];
    network = await createNetwork(first);
  });
  afterAll(() => Promise.all(servers.map((server) => server[Symbol.asyncDispose]())));

  async function guarded(): Promise<Guarded> {
    const user = await network.addUser();
    const serviceId = await network.addService();
    const checkId = await network.addCheck({ typeId: 'DOMAIN', domains: ['office'] });
    const policyId = await network.addPolicy(policyOf({ user, serviceId, checkId }));
    const one = { user, serviceId, checkId, policyId };
    await say(network, one, 'office');
    return one;
  }

  it.each(Object.entries(races))('none is left when %s', async (_, { refused, take, giveBack }) => {
    for (const wait of [0, 2, 5, 10]) {
      const one = await guarded();
      const { user, serviceId } = one;
      const apiSession = {
        id: (await network.as(user, 'GET', '/current-api-session')).body.data.id,
        token: user.token,
      };
      const ask = async (at: number) => {
        const server = servers[at % servers.length]!;
        return (await server.wire('POST', '/edge/client/v1/sessions', { token: user.token, body: { serviceId } }))
          .status;
      };
      const asked = Array.from({ length: 20 }, (_, at) => sleep(at / 2).then(() => ask(at)));
      await sleep(wait);
      await take(network, one);
      expect(await Promise.all(servers.map((_, at) => ask(at)))).toEqual(servers.map(() => refused));
      // While the API session ends, its posture data, or its identity, may be gone first.
      const possible = refused === 401 ? [201, 401, 404, 409] : [201, refused];
      for (const status of await Promise.all(asked)) expect(possible).toContain(status);
      expect(await serviceSessionsLeft(servers[0]!, apiSession)).toEqual([]);
      if (!giveBack) continue;
      await giveBack(network, one);
      expect((await network.as(user, 'GET', '/sessions')).body.data).toEqual([]);
      expect(await ask(1)).toBe(201);
    }
  });
});
