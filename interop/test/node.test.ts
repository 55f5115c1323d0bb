import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, beforeEach, describe, it, onTestFailed } from 'vitest';
import { goDialer, goHost } from './support/clients.ts';
import { expectEcho } from './support/expect-echo.ts';
import type { Network, NetworkIdentity } from './support/network.ts';
import { startNetwork } from './support/network.ts';
import { nodeClient, nodeHost, transfer } from './support/node-clients.ts';

const bytes = 100_000_000;

describe.each([{ routers: 1 }, { routers: 2 }])('with $routers routers', ({ routers }) => {
  let network: Network;
  let host: NetworkIdentity;
  let caller: NetworkIdentity;
  const clients: NodeEdgeClient[] = [];
  const signedIn = async (identity: NetworkIdentity) => {
    const edge = await nodeClient(identity, network.controller.url);
    clients.push(edge);
    return edge;
  };

  beforeAll(async () => {
    network = await startNetwork({ routers });
    if (routers > 1) await network.separate();
    host = await network.addIdentity('host', ['hosts']);
    caller = await network.addIdentity('caller', ['callers']);
  });
  beforeEach(() => onTestFailed(() => console.error(network.logs())));
  afterAll(async () => {
    for (const client of clients) client.dispose();
    await network[Symbol.asyncDispose]();
  });

  describe.each([
    { encrypted: true, service: 'sealed' },
    { encrypted: false, service: 'plain' },
  ])('and encryption: $encrypted', ({ encrypted, service }) => {
    beforeAll(() => network.addService(service, { encrypted }));

    /** Carries 100 MB there and back. */
    async function transferAll(what: string) {
      const speed = await transfer(await (await signedIn(caller)).dial(service), bytes);
      console.log(`${what}, with ${routers} routers, encrypted ${encrypted}: ${speed.toFixed(0)} MB/s`);
    }

    it('Node dials a host in Go', async () => {
      await using _server = await goHost(host, service);
      await transferAll('Node to Go and back');
    });

    it('Go dials a host in Node', async () => {
      await using _server = await nodeHost(await signedIn(host), service);
      await using dialer = goDialer(caller, { service, bytes });
      await expectEcho(dialer, bytes);
    });

    it('Node dials a host in Node', async () => {
      await using _server = await nodeHost(await signedIn(host), service);
      await transferAll('Node to Node and back');
    });

    it('20 connections of one client carry data at once, both ways', async () => {
      await using _server = await goHost(host, service);
      const edge = await signedIn(caller);
      await Promise.all(Array.from({ length: 20 }, async () => transfer(await edge.dial(service), 1_000_000)));
    });
  });
});
