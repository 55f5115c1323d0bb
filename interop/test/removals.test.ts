import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { goCaller, nodeCaller } from './support/callers.ts';
import { goHost } from './support/clients.ts';
import type { Network, NetworkIdentity, ServiceIds } from './support/network.ts';
import { startNetwork } from './support/network.ts';
import { nodeClient, nodeHost } from './support/node-clients.ts';

/** Milliseconds from the response to a removal to the end of the last connection. */
const limit = 500;
const connections = 5;
/** Nobody has this system. */
const foreignSystem = { typeId: 'OS' as const, operatingSystems: [{ type: 'Android' as const, versions: ['1.0.0'] }] };

interface Used {
  readonly host: NetworkIdentity;
  readonly caller: NetworkIdentity;
  readonly service: ServiceIds;
}

/** How rights end. */
interface Removal {
  readonly what: string;
  /** The client may get a new session and connect again. */
  readonly mayReturn?: boolean;
  remove(network: Network, used: Used): Promise<unknown>;
  /** For the tests that come after. */
  restore?(network: Network): Promise<unknown>;
}

const removals: readonly Removal[] = [
  {
    what: 'deleted session',
    mayReturn: true,
    remove: ({ edge }, { caller }) => deleteAll(edge.management.sessions, caller),
  },
  {
    what: 'deleted API session',
    mayReturn: true,
    remove: ({ edge }, { caller }) => deleteAll(edge.management.apiSessions, caller),
  },
  { what: 'deleted identity', remove: ({ edge }, { caller }) => edge.management.identities.delete(caller.id) },
  {
    what: 'disabled identity',
    remove: ({ edge }, { caller }) => edge.management.identities.disable(caller.id, { durationMinutes: 0 }),
  },
  {
    what: 'deleted policy to dial',
    remove: ({ edge }, { service }) => edge.management.servicePolicies.delete(service.dialPolicyId),
  },
  {
    what: 'lost role attribute',
    remove: ({ edge }, { caller }) => edge.management.identities.patch(caller.id, { roleAttributes: [] }),
  },
  {
    what: 'posture check that fails',
    async remove({ edge }, { service }) {
      const name = `a check of ${service.id}`;
      const { id } = await edge.management.postureChecks.create({ name, ...foreignSystem });
      await edge.management.servicePolicies.patch(service.dialPolicyId, { postureCheckRoles: [`@${id}`] });
    },
  },
  { what: 'deleted service', remove: ({ edge }, { service }) => edge.management.services.delete(service.id) },
  {
    what: 'deleted policy to bind',
    remove: ({ edge }, { service }) => edge.management.servicePolicies.delete(service.bindPolicyId),
  },
  { what: 'deleted host', remove: ({ edge }, { host }) => edge.management.identities.delete(host.id) },
  {
    what: 'disabled router',
    remove: ({ edge, routers }) => edge.management.edgeRouters.patch(routers.at(-1)!.id, { disabled: true }),
    async restore(network) {
      const router = network.routers.at(-1)!;
      await network.edge.management.edgeRouters.patch(router.id, { disabled: false });
      await network.online(router);
    },
  },
];

interface Sessions {
  list(query: { filter: string }): Promise<{ readonly data: readonly { readonly id: string }[] }>;
  delete(id: string): Promise<unknown>;
}

/** Deletes the sessions of an identity. */
async function deleteAll(sessions: Sessions, { id }: NetworkIdentity) {
  const { data } = await sessions.list({ filter: `identity = "${id}"` });
  expect(data.length).toBeGreaterThan(0);
  for (const session of data) await sessions.delete(session.id);
}

const clients = [
  {
    client: 'Go',
    startCaller: goCaller,
    startHost: (_: Network, host: NetworkIdentity, name: string) => goHost(host, name),
  },
  {
    client: 'Node',
    startCaller: nodeCaller,
    startHost: async ({ controller }: Network, host: NetworkIdentity, name: string) =>
      nodeHost(await nodeClient(host, controller.url), name),
  },
];
const kinds = clients.flatMap((each) => [1, 2].map((routers) => ({ ...each, routers })));

describe.each(kinds)('with $routers routers and clients in $client, while data flows', (kind) => {
  const { client, routers, startCaller, startHost } = kind;
  let network: Network;
  beforeAll(async () => {
    network = await startNetwork({ routers });
    if (routers > 1) await network.separate();
  });
  beforeEach(() => onTestFailed(() => console.error(network.logs())));
  afterAll(() => network[Symbol.asyncDispose]());

  it.each(removals)('a $what ends the connections at once', async ({ what, mayReturn, remove, restore }) => {
    const name = `${client}, ${what}`;
    const service = await network.addService(name);
    const host = await network.addIdentity(`host of ${name}`, ['hosts']);
    const identity = await network.addIdentity(`caller of ${name}`, ['callers']);
    await using _host = await startHost(network, host, name);
    await using caller = await startCaller({ network, identity, service: name, connections });

    await remove(network, { host, caller: identity, service });
    const removedAt = Date.now();

    const ends = await caller.ended();
    expect(Math.max(...ends) - removedAt).toBeLessThan(limit);
    if (!mayReturn) expect(await caller.again()).toBe(0);
    await restore?.(network);
  });
});
