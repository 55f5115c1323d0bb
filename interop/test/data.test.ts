import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { goDialer, goHost } from './support/clients.ts';
import { expectEcho } from './support/expect-echo.ts';
import type { Network, NetworkIdentity } from './support/network.ts';
import { startNetwork } from './support/network.ts';

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
])('a service with encryption: $encrypted', ({ encrypted, service }) => {
  beforeAll(() => network.addService(service, { encrypted }));

  it('carries 100 MB from Go to Go and back', async () => {
    await using server = await goHost(host, service);
    await using dialer = goDialer(caller, { service, bytes: 100_000_000 });
    await expectEcho(dialer, 100_000_000);
    expect(await server.event('accepted')).toMatchObject({ caller: 'caller' });
  });

  it('carries 20 connections of one client at once', async () => {
    await using _server = await goHost(host, service);
    await using dialer = goDialer(caller, { service, bytes: 1_000_000, connections: 20 });
    await expectEcho(dialer, 1_000_000, 20);
  });
});
