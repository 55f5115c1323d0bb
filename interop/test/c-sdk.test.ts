import { afterAll, beforeAll, beforeEach, describe, it, onTestFailed } from 'vitest';
import { cDialer, cHost, goDialer, goHost } from './support/clients.ts';
import { expectEcho } from './support/expect-echo.ts';
import type { Network, NetworkIdentity } from './support/network.ts';
import { startNetwork } from './support/network.ts';
import { nodeClient, nodeHost, transferUntilClosed } from './support/node-clients.ts';

/** With more, this version sometimes has no memory for messages, and goes on a minute later. */
const bytes = 1_000_000;
let network: Network;
let host: NetworkIdentity;
let caller: NetworkIdentity;

beforeAll(async () => {
  network = await startNetwork();
  host = await network.addIdentity('host', ['hosts']);
  caller = await network.addIdentity('caller', ['callers']);
});
beforeEach(() => onTestFailed(() => console.error(network.logs())));
afterAll(() => network[Symbol.asyncDispose]());

describe.each([
  { encrypted: true, service: 'sealed' },
  { encrypted: false, service: 'plain' },
])('the C SDK, with encryption: $encrypted', ({ encrypted, service }) => {
  beforeAll(() => network.addService(service, { encrypted }));

  it('dials a host of the Go SDK', async () => {
    await using _server = await goHost(host, service);
    await using dialer = cDialer(caller, { service, bytes });
    await expectEcho(dialer, bytes);
  });

  it('dials a host in Node, and hosts for Node', async () => {
    await using ends = new AsyncDisposableStack();
    const client = async (identity: NetworkIdentity) =>
      ends.adopt(await nodeClient(identity, network.controller.url), (edge) => edge.dispose());
    const binding = await nodeHost(await client(host), service);
    await using dialer = cDialer(caller, { service, bytes });
    await expectEcho(dialer, bytes);
    await binding[Symbol.asyncDispose]();
    await using _server = await cHost(host, service);
    await transferUntilClosed(await (await client(caller)).dial(service), bytes);
  });

  it('hosts for the Go SDK and for itself', async () => {
    await using _server = await cHost(host, service);
    await using dialer = goDialer(caller, { service, bytes });
    await expectEcho(dialer, bytes);
    await using own = cDialer(caller, { service, bytes });
    await expectEcho(own, bytes);
  });
});
