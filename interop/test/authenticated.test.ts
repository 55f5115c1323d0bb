import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { goDialer, goHost } from './support/clients.ts';
import { expectEcho } from './support/expect-echo.ts';
import type { Network, NetworkIdentity } from './support/network.ts';
import { startNetwork } from './support/network.ts';
import { nodeClient, nodeHost, transfer } from './support/node-clients.ts';

const bytes = 1_000_000;

describe('connections whose ends prove who they are, through two real routers', () => {
  const service = 'proven';
  let network: Network;
  let [host, caller]: NetworkIdentity[] = [];
  let [hosting, calling]: NodeEdgeClient[] = [];

  beforeAll(async () => {
    network = await startNetwork({ routers: 2 });
    await network.separate();
    host = await network.addIdentity('host', ['hosts']);
    caller = await network.addIdentity('caller', ['callers']);
    [hosting, calling] = [
      await nodeClient(host, network.controller.url),
      await nodeClient(caller, network.controller.url),
    ];
    await network.addService(service, { encrypted: true });
  });
  beforeEach(() => onTestFailed(() => console.error(network.logs())));
  afterAll(async () => {
    for (const client of [hosting, calling]) client?.dispose();
    await network[Symbol.asyncDispose]();
  });

  it('carry data and both ends between Node and Node', async () => {
    await using _server = await nodeHost(hosting!, service, { authenticate: true, peer: caller!.id });
    const connection = await calling!.dial(service, { authenticate: true, peer: host!.id, appData: 'for the host' });
    expect(connection.peer?.id).toBe(host!.id);
    await transfer(connection, bytes);
  });

  it('are refused with a host in Go, unless the caller says `if-possible`', async () => {
    await using _server = await goHost(host!, service);
    const refused = calling!.dial(service, { authenticate: true, peer: host!.id });
    await expect(refused).rejects.toMatchObject({ code: 'NOT_AUTHENTICATED', reason: 'it cannot prove who it is' });
    const connection = await calling!.dial(service, { authenticate: 'if-possible' });
    expect(connection.peer).toBeNull();
    await transfer(connection, bytes);
  });

  it('are there for Go, too, when the host says `if-possible`', async () => {
    await using _server = await nodeHost(hosting!, service, { authenticate: 'if-possible' });
    await using dialer = goDialer(caller!, { service, bytes });
    await expectEcho(dialer, bytes);
  });
});
