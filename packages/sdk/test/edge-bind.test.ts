import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeEdgeClient, ServiceBinding } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RoutedServices } from './support/routed-services.ts';
import { accept, echo, startRoutedServices, textOf } from './support/routed-services.ts';

let network: RoutedServices;
let added = 0;
beforeAll(async () => {
  network = await startRoutedServices();
});
afterAll(() => network[Symbol.asyncDispose]());

const soon = { timeout: 10_000, interval: 20 };
const errorOf = (call: Promise<unknown>) => call.then(null, (error: unknown) => error);

/** A connection whose end is of no interest. */
async function dial(service: string) {
  const connection = await network.calling.dial(service);
  return connection.on('error', () => undefined);
}

async function newService(): Promise<string> {
  added += 1;
  await network.addService(`service ${added}`);
  return `service ${added}`;
}

async function isEchoed(edge: NodeEdgeClient, service: string): Promise<boolean> {
  const connection = await edge.dial(service);
  connection.end('hello');
  return (await textOf(connection)) === 'hello';
}

/** Until the bind is on all of these routers. */
const boundOn = (binding: ServiceBinding, ...urls: string[]) =>
  vi.waitFor(() => expect([...binding.routers].sort()).toEqual(urls.sort()), soon);

describe('a bind', () => {
  test('takes connections in their order, for all loops together', async () => {
    const service = await newService();
    await using binding = await network.hosting.bind(service);
    expect(binding).toMatchObject({ service, routers: [network.router.url], error: null });
    const waiting = [accept(binding), accept(binding)];
    const dialed = [await dial(service), await dial(service)];
    const late = await dial(service);
    expect((await Promise.all(waiting)).map(({ circuitId }) => circuitId)).toEqual(dialed.map((one) => one.circuitId));
    expect((await accept(binding)).circuitId).toBe(late.circuitId);
  });

  test('refuses more connections than may wait, and takes more when some were taken', async () => {
    const service = await newService();
    await using binding = await network.hosting.bind(service, { backlog: 2 });
    for (let dials = 0; dials < 2; dials += 1) await dial(service);
    expect(await errorOf(dial(service))).toMatchObject({ code: 'REFUSED' });
    await accept(binding);
    await dial(service);
  });

  test('a connection that ends while it waits is not taken', async () => {
    const service = await newService();
    await using binding = await network.hosting.bind(service);
    (await dial(service)).destroy();
    await sleep(50);
    const second = await dial(service);
    expect((await accept(binding)).circuitId).toBe(second.circuitId);
  });

  test('leaving the loop closes it; connections that were taken stay', async () => {
    const service = await newService();
    const binding = await network.hosting.bind(service);
    const dialed = await dial(service);
    for await (const connection of binding) {
      connection.pipe(connection);
      break;
    }
    await binding.ended;
    await vi.waitFor(async () => expect(await errorOf(dial(service))).toMatchObject({ code: 'REFUSED' }));
    dialed.end('still there');
    expect(await textOf(dialed)).toBe('still there');
    expect((await binding[Symbol.asyncIterator]().next()).done).toBe(true);
  });

  test('changes cost and precedence while it runs', async () => {
    const service = await newService();
    const { terminators } = network.controller.admin.management;
    const shown = async () => {
      const { data } = await terminators.list({ filter: `service.name = "${service}"` });
      return data.map(({ cost, precedence }) => ({ cost, precedence }));
    };
    await using binding = await network.hosting.bind(service, { cost: 7, precedence: 'required' });
    expect(await shown()).toEqual([{ cost: 7, precedence: 'required' }]);
    binding.update({ cost: 300 });
    await vi.waitFor(async () => expect(await shown()).toEqual([{ cost: 300, precedence: 'required' }]));
    binding.update({ precedence: 'failed' });
    await vi.waitFor(async () => expect(await shown()).toEqual([{ cost: 300, precedence: 'failed' }]));
    expect(() => binding.update({ cost: 65_536 })).toThrow(TypeError);
    await network.router.restart();
    await boundOn(binding, network.router.url);
    await vi.waitFor(async () => expect(await shown()).toEqual([{ cost: 300, precedence: 'failed' }]));
  });

  test('that is not allowed, or whose options are wrong, is refused', async () => {
    const service = await newService();
    expect(await errorOf(network.calling.bind(service))).toMatchObject({ name: 'EdgeApiError' });
    expect(await errorOf(network.hosting.bind('unknown'))).toMatchObject({ code: 'SERVICE_NOT_FOUND' });
    expect(await errorOf(network.hosting.bind(service, { cost: -1 }))).toBeInstanceOf(TypeError);
    const misspelled: object = { precendence: 'failed' };
    expect(await errorOf(network.hosting.bind(service, misspelled))).toBeInstanceOf(TypeError);
  });
});

describe('a bind ends', () => {
  const next = (binding: ServiceBinding) => binding[Symbol.asyncIterator]().next();

  test('with a sign-out, without an error', async () => {
    const edge = await network.signIn(network.host);
    const binding = await edge.bind(await newService());
    const waiting = next(binding);
    await edge.signOut();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await binding.ended;
  });

  test('with the API session, when nothing replaces it: NO_SESSION', async () => {
    const edge = await network.signIn(network.host);
    const binding = await edge.bind(await newService());
    const waiting = errorOf(next(binding));
    await network.controller.admin.management.apiSessions.delete(edge.session?.id ?? '');
    expect(await waiting).toMatchObject({ name: 'EdgeAuthQueryError', code: 'NO_SESSION' });
    expect(await errorOf(binding.ended)).toMatchObject({ code: 'NO_SESSION' });
  });

  test('with its signal, and with the client', async () => {
    const edge = await network.signIn(network.host);
    const ended = new AbortController();
    const one = await edge.bind(await newService(), { signal: ended.signal });
    const other = await edge.bind(await newService());
    const waiting = [errorOf(next(one)), errorOf(next(other))];
    ended.abort(new Error('enough'));
    expect(await waiting[0]).toBe(ended.signal.reason);
    edge.dispose();
    expect(await waiting[1]).toBeInstanceOf(TypeError);
    const nobody = new AbortController();
    nobody.abort(new Error('never'));
    expect(await errorOf(network.hosting.bind('any', { signal: nobody.signal }))).toBe(nobody.signal.reason);
  });
});

describe('a bind comes back by itself', () => {
  test.each(['restart', 'kill'] as const)('after the %s of its router', async (kind) => {
    const service = await newService();
    await using binding = await network.hosting.bind(service);
    void echo(binding);
    const { router } = network;
    const connection = await dial(service);
    const failed = once(connection, 'error');
    if (kind === 'kill') router.kill();
    else await router.stop();
    expect((await failed)[0]).toMatchObject({ code: 'ROUTER_LOST' });
    await vi.waitFor(() => expect(binding).toMatchObject({ routers: [], error: expect.any(Error) }));
    await router.restart();
    await router.whenOnline();
    await boundOn(binding, router.url);
    await vi.waitFor(async () => expect(await isEchoed(network.calling, service)).toBe(true), soon);
  });

  test('after a restart of the controller', async () => {
    const service = await newService();
    await using binding = await network.hosting.bind(service);
    void echo(binding);
    await network.controller.restart();
    await network.router.whenOnline();
    expect(binding.routers).toEqual([network.router.url]);
    await vi.waitFor(async () => expect(await isEchoed(network.calling, service)).toBe(true), soon);
  });

  test('after its session was removed', async () => {
    const service = await newService();
    await using binding = await network.hosting.bind(service);
    void echo(binding);
    const { sessions } = network.controller.admin.management;
    const { data } = await sessions.list({ filter: `identity = "${network.host.id}" and type = "Bind"` });
    for (const { id } of data) await sessions.delete(id);
    await vi.waitFor(async () => expect(await isEchoed(network.calling, service)).toBe(true), soon);
    await boundOn(binding, network.router.url);
  });

  test('in another API session, and when a right is given back', async () => {
    const service = await newService();
    const { username, password } = network.host;
    const edge = await network.signIn(network.host, {
      reauthenticate: () => edge.signIn.password({ username, password }),
    });
    await using binding = await edge.bind(service);
    void echo(binding);
    const { apiSessions, identities } = network.controller.admin.management;
    await apiSessions.delete(edge.session?.id ?? '');
    await vi.waitFor(async () => expect(await isEchoed(network.calling, service)).toBe(true), soon);
    await identities.patch(network.host.id, { roleAttributes: [] });
    await boundOn(binding);
    await vi.waitFor(() => expect(binding.error).not.toBeNull());
    await identities.patch(network.host.id, { roleAttributes: ['hosts'] });
    await boundOn(binding, network.router.url);
    await vi.waitFor(async () => expect(await isEchoed(network.calling, service)).toBe(true), soon);
  });
});

test('a bind is on all routers, and goes on with those that are left', async () => {
  await using two = await startRoutedServices();
  const second = await two.controller.startRouter();
  await two.addService('both');
  await using binding = await two.hosting.bind('both');
  void echo(binding);
  await boundOn(binding, two.router.url, second.url);
  expect(await isEchoed(two.calling, 'both')).toBe(true);
  await two.router.stop();
  await boundOn(binding, second.url);
  await vi.waitFor(async () => expect(await isEchoed(two.calling, 'both')).toBe(true), soon);
  await two.router.restart();
  await boundOn(binding, two.router.url, second.url);
});
