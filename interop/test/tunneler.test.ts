import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { programs } from './support/built.ts';
import { freePorts } from './support/free-port.ts';
import type { Network, NetworkIdentity, ServiceIds } from './support/network.ts';
import { startNetwork } from './support/network.ts';
import { nodeClient, nodeHost, transferUntilClosed } from './support/node-clients.ts';
import { Program } from './support/program.ts';

const bytes = 10_000_000;
let network: Network;
let echo: Server;

beforeAll(async () => {
  network = await startNetwork({ routers: 2 });
  await network.separate();
  // It ends its side when the other end has ended.
  echo = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined).pipe(socket));
  await once(echo.listen(0, '127.0.0.1'), 'listening');
});
beforeEach(() => onTestFailed(() => console.error(network.logs())));
afterAll(async () => {
  echo.close();
  await network[Symbol.asyncDispose]();
});

/** A service whose hosts connect to the echo server. */
async function addService(name: string): Promise<ServiceIds> {
  const service = await network.addService(name);
  const { configTypes, configs, services } = network.edge.management;
  const [type] = (await configTypes.list({ filter: 'name = "host.v1"' })).data;
  const data = { protocol: 'tcp', address: '127.0.0.1', port: (echo.address() as AddressInfo).port };
  const { id } = await configs.create({ name, configTypeId: type!.id, data });
  await services.patch(service.id, { configs: [id] });
  return service;
}

/** Starts a tunneler that offers the services of its identity. Resolves when a router has this one. */
async function tunnelHost({ file }: NetworkIdentity, service: ServiceIds): Promise<Program> {
  const tunneler = new Program(programs.ziti, ['tunnel', 'host', '--identity', file]);
  const { terminators } = network.edge.management;
  await network.until(
    'the tunneler hosts',
    async () => (await terminators.list({ filter: `service = "${service.id}"` })).data.length > 0,
  );
  return tunneler;
}

/** Starts a tunneler that dials a service for whoever connects to the port. */
async function tunnelProxy({ file }: NetworkIdentity, service: string): Promise<{ tunneler: Program; port: number }> {
  const [port = 0] = await freePorts(1);
  const tunneler = new Program(programs.ziti, ['tunnel', 'proxy', `${service}:${port}`, '--identity', file]);
  await network.until('the tunneler listens', async () => {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isOpen;
  });
  return { tunneler, port };
}

/** Sends random bytes over TCP, and compares what comes back. */
async function expectEcho(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const data = randomBytes(bytes);
  const received = createHash('sha256');
  let count = 0;
  socket.write(data);
  for await (const chunk of socket) {
    received.update(chunk);
    count += chunk.length;
    if (count >= bytes) break;
  }
  expect(received.digest('hex')).toBe(createHash('sha256').update(data).digest('hex'));
}

it('two tunnelers carry TCP for each other', async () => {
  const service = await addService('tunnels');
  await using _host = await tunnelHost(await network.addIdentity('host of tunnels', ['hosts']), service);
  const { tunneler, port } = await tunnelProxy(await network.addIdentity('caller of tunnels', ['callers']), 'tunnels');
  await using _proxy = tunneler;
  await expectEcho(port);
});

it('a tunneler carries TCP for Node, and Node for a tunneler', async () => {
  const service = await addService('half a tunnel');
  const host = await network.addIdentity('host of half a tunnel', ['hosts']);
  const caller = await network.addIdentity('caller of half a tunnel', ['callers']);
  {
    await using _host = await tunnelHost(host, service);
    const edge = await nodeClient(caller, network.controller.url);
    await transferUntilClosed(await edge.dial('half a tunnel'), bytes);
    edge.dispose();
  }
  const edge = await nodeClient(host, network.controller.url);
  await using _host = await nodeHost(edge, 'half a tunnel');
  const { tunneler, port } = await tunnelProxy(caller, 'half a tunnel');
  await using _proxy = tunneler;
  await expectEcho(port);
  edge.dispose();
});

interface Removal {
  readonly what: string;
  remove(caller: NetworkIdentity, service: ServiceIds): Promise<unknown>;
}

const removals: readonly Removal[] = [
  { what: 'session', remove: (caller) => deleteAll('sessions', caller) },
  { what: 'API session', remove: (caller) => deleteAll('apiSessions', caller) },
  { what: 'identity', remove: ({ id }) => network.edge.management.identities.delete(id) },
  { what: 'policy', remove: (_, { dialPolicyId }) => network.edge.management.servicePolicies.delete(dialPolicyId) },
];

async function deleteAll(kind: 'sessions' | 'apiSessions', { id }: NetworkIdentity) {
  const sessions = network.edge.management[kind];
  for (const session of (await sessions.list({ filter: `identity = "${id}"` })).data) await sessions.delete(session.id);
}

it.each(removals)('a deleted $what ends the TCP connections of a tunneler at once', async ({ what, remove }) => {
  const name = `tunnel without ${what}`;
  const service = await addService(name);
  await using _host = await tunnelHost(await network.addIdentity(`host of ${name}`, ['hosts']), service);
  const caller = await network.addIdentity(`caller of ${name}`, ['callers']);
  const { tunneler, port } = await tunnelProxy(caller, name);
  await using _proxy = tunneler;
  const socket = await flowing(port);
  const ended = once(socket, 'close').then(() => Date.now());

  await remove(caller, service);
  const removedAt = Date.now();
  expect((await ended) - removedAt).toBeLessThan(500);
});

async function flowing(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const timer = setInterval(() => socket.write('data'), 5);
  socket.on('close', () => clearInterval(timer));
  await once(socket, 'data');
  await sleep(100);
  return socket;
}
