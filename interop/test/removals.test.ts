import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { goDialer, goHost } from './support/clients.ts';
import type { Network, NetworkIdentity, ServiceIds } from './support/network.ts';
import { startNetwork } from './support/network.ts';
import type { Program } from './support/program.ts';

/** Milliseconds from the response to a removal to the end of the last connection. */
const limit = 500;
const connections = 5;

interface Used {
  readonly host: NetworkIdentity;
  readonly caller: NetworkIdentity;
  readonly service: ServiceIds;
}

/** How rights end. `stays` says that the client may get a new session and connect again. */
interface Removal {
  readonly what: string;
  readonly stays?: boolean;
  remove(network: Network, used: Used): Promise<unknown>;
}

const removals: readonly Removal[] = [
  {
    what: 'session',
    stays: true,
    remove: ({ edge }, { caller }) => each(edge.management.sessions, caller),
  },
  {
    what: 'API session',
    stays: true,
    remove: ({ edge }, { caller }) => each(edge.management.apiSessions, caller),
  },
  { what: 'identity', remove: ({ edge }, { caller }) => edge.management.identities.delete(caller.id) },
  {
    what: 'identity, which is only disabled,',
    remove: ({ edge }, { caller }) => edge.management.identities.disable(caller.id, { durationMinutes: 0 }),
  },
  {
    what: 'policy to dial',
    remove: ({ edge }, { service }) => edge.management.servicePolicies.delete(service.dialPolicyId),
  },
  {
    what: 'role attribute',
    remove: ({ edge }, { caller }) => edge.management.identities.patch(caller.id, { roleAttributes: [] }),
  },
  { what: 'service', remove: ({ edge }, { service }) => edge.management.services.delete(service.id) },
  {
    what: 'policy to bind',
    remove: ({ edge }, { service }) => edge.management.servicePolicies.delete(service.bindPolicyId),
  },
  { what: 'host', remove: ({ edge }, { host }) => edge.management.identities.delete(host.id) },
];

interface Sessions {
  list(query: { filter: string }): Promise<{ readonly data: readonly { readonly id: string }[] }>;
  delete(id: string): Promise<unknown>;
}

/** Deletes the sessions of an identity. */
async function each(sessions: Sessions, { id }: NetworkIdentity) {
  const { data } = await sessions.list({ filter: `identity = "${id}"` });
  expect(data.length).toBeGreaterThan(0);
  for (const session of data) await sessions.delete(session.id);
}

describe.each([{ routers: 1 }, { routers: 2 }])('with $routers routers, while data flows', ({ routers }) => {
  let network: Network;
  beforeAll(async () => {
    network = await startNetwork({ routers });
    if (routers > 1) await network.separate();
  });
  beforeEach(() => onTestFailed(() => console.error(network.logs())));
  afterAll(() => network[Symbol.asyncDispose]());

  it.each(removals)('a removed $what ends the connections at once', async ({ what, stays, remove }) => {
    const name = `${what} ${routers}`;
    const service = await network.addService(name);
    const host = await network.addIdentity(`host of ${name}`, ['hosts']);
    const caller = await network.addIdentity(`caller of ${name}`, ['callers']);
    await using server = await goHost(host, name);
    await using dialer = goDialer(caller, { service: name, connections, keepOpen: true, redial: !stays });
    await flowing(dialer);
    await flowing(server, 'accepted');

    await remove(network, { host, caller, service });
    const removedAt = Date.now();

    for (let connection = 0; connection < connections; connection += 1) {
      const { at } = await dialer.event('ended', { matches: (event) => event.connection === connection });
      expect(at - removedAt, `connection ${connection}`).toBeLessThan(limit);
    }
    if (stays) return;
    await dialer.event('refused');
    expect(dialer.count('open')).toBe(connections);
  });
});

async function flowing(program: Program, event = 'open') {
  for (let connection = 0; connection < connections; connection += 1) {
    await program.event(event, { matches: (each) => each.connection === connection });
  }
}
