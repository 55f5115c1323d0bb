import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createEdgeClient,
  EdgeConnectionError,
  isEdgeConnectionError,
  mtls,
  nodeFetch,
} from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RoutedServices } from './support/routed-services.ts';
import { accept, echo, startRoutedServices, textOf } from './support/routed-services.ts';

let network: RoutedServices;
beforeAll(async () => {
  network = await startRoutedServices();
});
afterAll(() => network[Symbol.asyncDispose]());

const errorOf = (call: Promise<unknown>) => call.then(null, (error: unknown) => error);

describe.each([true, false])('a service with encryption: %s', (encrypted) => {
  const service = `echo ${encrypted}`;
  beforeAll(() => network.addService(service, { encrypted }));

  test('carries data both ways, and each side ends on its own', async () => {
    const { hosting, calling } = network;
    await using binding = await hosting.bind(service);
    const connection = await calling.dial(service, { appData: 'for the host' });
    const accepted = await accept(binding);
    expect(accepted).toMatchObject({ service, callerId: 'caller', circuitId: connection.circuitId });
    expect(Buffer.from(accepted.appData).toString()).toBe('for the host');
    connection.end('hello');
    expect(await textOf(accepted)).toBe('hello');
    expect([accepted.writable, connection.destroyed]).toEqual([true, false]);
    accepted.write('wor');
    accepted.end('ld');
    expect(await textOf(connection)).toBe('world');
    expect(connection).toMatchObject({ bytesWritten: 5, bytesRead: 5, destroyed: true, errored: null });
    await vi.waitFor(() => expect(accepted.destroyed).toBe(true));
  });

  test('carries 3 MB in messages of any size', async () => {
    const { hosting, calling } = network;
    await using binding = await hosting.bind(service);
    void echo(binding);
    const connection = await calling.dial(service);
    const sent = randomBytes(3_000_000);
    const received = buffer(connection);
    for (let at = 0, length = 1; at < sent.length; at += length, length = Math.ceil(length * 1.7) % 100_003) {
      if (!connection.write(sent.subarray(at, at + length))) await once(connection, 'drain');
    }
    connection.end();
    expect((await received).equals(sent)).toBe(true);
  });

  test('works as WHATWG streams', async () => {
    const { hosting, calling } = network;
    await using binding = await hosting.bind(service);
    void echo(binding);
    const { readable, writable } = Duplex.toWeb(await calling.dial(service));
    const writer = writable.getWriter();
    await writer.write(Buffer.from('hello'));
    await writer.close();
    expect(await new Response(readable).text()).toBe('hello');
  });
});

test('what comes while nobody reads is kept', async () => {
  await network.addService('unread');
  await using binding = await network.hosting.bind('unread');
  const connection = await network.calling.dial('unread');
  const accepted = await accept(binding);
  accepted.end('early');
  await sleep(50);
  expect(await textOf(connection)).toBe('early');
  connection.end();
});

describe('an end by the other side', () => {
  let binding: Awaited<ReturnType<typeof network.hosting.bind>>;
  const open = async () => [await network.calling.dial('ends'), await accept(binding)] as const;
  beforeAll(async () => {
    await network.addService('ends');
    binding = await network.hosting.bind('ends');
  });
  afterAll(() => binding.close());

  test('without its end of data: what it has sent is read, and then comes an error', async () => {
    const [connection, accepted] = await open();
    accepted.write('half of');
    await sleep(20);
    accepted.destroy();
    let text = '';
    const reading = (async () => {
      for await (const chunk of connection) text += chunk;
    })();
    expect(await errorOf(reading)).toMatchObject({ name: 'EdgeConnectionError', code: 'CLOSED' });
    expect([text, connection.closeReason]).toEqual(['half of', 'close called']);
  });

  test('a write after it fails', async () => {
    const [connection, accepted] = await open();
    accepted.destroy();
    const [error] = await once(connection, 'error');
    expect(isEdgeConnectionError(error, 'CLOSED')).toBe(true);
    expect(await new Promise((resolve) => connection.write('more', resolve))).toBeInstanceOf(Error);
  });

  test('allowHalfOpen: false ends this side, too', async () => {
    const [half, accepted] = [await network.calling.dial('ends', { allowHalfOpen: false }), await accept(binding)];
    half.resume();
    accepted.end();
    expect(await textOf(accepted)).toBe('');
    await vi.waitFor(() => expect([half.destroyed, accepted.destroyed]).toEqual([true, true]));
  });

  test('nothing is left of connections that have ended', async () => {
    const pairs = await Promise.all(Array.from({ length: 20 }, async () => network.calling.dial('ends')));
    const accepted = await Promise.all(pairs.map(() => accept(binding)));
    for (const connection of accepted) connection.resume().end();
    for (const connection of pairs) connection.resume().end();
    await vi.waitFor(() => expect(network.router.state.connections).toBe(1));
  });
});

describe('a dial that fails', () => {
  test('says that there is no such service, and no host', async () => {
    await network.addService('nobody');
    expect(await errorOf(network.calling.dial('unknown'))).toMatchObject({
      ...{ code: 'SERVICE_NOT_FOUND', reason: 'unknown' },
      message: 'the identity may use no service of this name or id: unknown (SERVICE_NOT_FOUND)',
    });
    const error = await errorOf(network.calling.dial('nobody'));
    expect(error).toBeInstanceOf(EdgeConnectionError);
    expect(error).toMatchObject({ code: 'REFUSED', reason: expect.stringContaining('terminators') });
    // Its session is used already.
    expect(await errorOf(network.calling.dial('nobody'))).toMatchObject({ code: 'REFUSED' });
  });

  test('without a session, with an unknown option, and after dispose', async () => {
    const edge = network.controller.client();
    expect(await errorOf(edge.dial('ends'))).toMatchObject({ name: 'EdgeAuthQueryError', code: 'NO_SESSION' });
    const misspelled: object = { idenity: 'x' };
    expect(await errorOf(edge.dial('ends', misspelled))).toMatchObject({
      message: expect.stringContaining('did you mean "identity"'),
    });
    edge.dispose();
    expect(await errorOf(edge.dial('ends'))).toBeInstanceOf(TypeError);
  });

  test('with an identity that no host has, and with one of a host', async () => {
    await network.addService('named');
    await using binding = await network.hosting.bind('named', { identity: 'printer-4' });
    void echo(binding);
    expect(await errorOf(network.calling.dial('named', { identity: 'printer-5' }))).toMatchObject({ code: 'REFUSED' });
    const connection = await network.calling.dial('named', { identity: 'printer-4' });
    connection.end('paper');
    expect(await textOf(connection)).toBe('paper');
  });

  test('ends at its timeout, and when its signal aborts', async () => {
    await network.addService('slow');
    await using _binding = await network.hosting.bind('slow');
    const ended = new AbortController();
    const aborted = errorOf(network.calling.dial('slow', { signal: ended.signal }));
    ended.abort(new Error('no longer needed'));
    expect(await aborted).toBe(ended.signal.reason);
    expect(await errorOf(network.calling.dial('slow', { timeout: 0.1 }))).toMatchObject({ name: 'EdgeTimeoutError' });
  });
});

describe('the end of the right', () => {
  beforeAll(() => network.addService('rights'));

  test('the session is removed: the connection ends, and the next dial gets another session', async () => {
    await using binding = await network.hosting.bind('rights');
    void echo(binding);
    const connection = await network.calling.dial('rights');
    const { sessions } = network.controller.admin.management;
    const { data } = await sessions.list({ filter: `identity = "${network.caller.id}" and type = "Dial"` });
    const failed = once(connection, 'error');
    for (const { id } of data) await sessions.delete(id);
    expect((await failed)[0]).toMatchObject({ code: 'CLOSED' });
    const again = await network.calling.dial('rights');
    again.end('still');
    expect(await textOf(again)).toBe('still');
  });

  test.each(['sign-out', 'removal'] as const)('the API session ends by a %s: SESSION_ENDED', async (kind) => {
    await using binding = await network.hosting.bind('rights');
    void echo(binding);
    const edge = await network.signIn(network.caller);
    const connection = await edge.dial('rights');
    const failed = once(connection, 'error');
    if (kind === 'sign-out') await edge.signOut();
    else await network.controller.admin.management.apiSessions.delete(edge.session?.id ?? '');
    expect((await failed)[0]).toMatchObject({ code: 'SESSION_ENDED' });
    expect(await errorOf(edge.dial('rights'))).toMatchObject({ code: 'NO_SESSION' });
  });

  test('an API session that is replaced is replaced for the routers, too', async () => {
    await using binding = await network.hosting.bind('rights');
    void echo(binding);
    const { username, password } = network.caller;
    const edge = await network.signIn(network.caller, {
      reauthenticate: () => edge.signIn.password({ username, password }),
    });
    const connection = await edge.dial('rights');
    connection.on('error', () => undefined);
    await network.controller.admin.management.apiSessions.delete(edge.session?.id ?? '');
    const again = await edge.dial('rights');
    again.end('still');
    expect(await textOf(again)).toBe('still');
    await vi.waitFor(() => expect(connection.errored).toMatchObject({ code: 'SESSION_ENDED' }));
  });
});

describe('the certificate for the routers', () => {
  beforeAll(() => network.addService('certificates'));

  test('is that of the sign-in, and none is issued', async () => {
    await using binding = await network.hosting.bind('certificates');
    void echo(binding);
    const fetch = mtls(await network.controller.clientCertificate(network.caller));
    const edge = network.controller.client({ fetch });
    await edge.signIn.certificate();
    const connection = await edge.dial('certificates');
    connection.end('hello');
    expect(await textOf(connection)).toBe('hello');
    // The one of the sign-in.
    expect((await edge.client.currentApiSessionCertificates.list()).data).toHaveLength(1);
    edge.dispose();
  });

  test('is issued when the session was opened otherwise, also for a client with a certificate', async () => {
    await using binding = await network.hosting.bind('certificates');
    void echo(binding);
    const fetch = mtls(await network.controller.clientCertificate(network.caller));
    const edge = network.controller.client({ fetch });
    await edge.signIn.password(network.caller);
    const connection = await edge.dial('certificates');
    connection.end('hello');
    expect(await textOf(connection)).toBe('hello');
    expect((await edge.client.currentApiSessionCertificates.list()).data).toHaveLength(1);
    edge.dispose();
  });

  test('without CA certificates, those of the controller count', async () => {
    await using binding = await network.hosting.bind('certificates');
    void echo(binding);
    const edge = createEdgeClient(network.controller.url, { fetch: nodeFetch({ ca: network.controller.ca }) });
    await edge.signIn.password(network.caller);
    const connection = await edge.dial('certificates');
    connection.end('hello');
    expect(await textOf(connection)).toBe('hello');
    edge.dispose();
  });
});
