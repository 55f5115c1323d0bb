import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { ended } from '../support/ended.ts';
import { freePort } from '../support/free-port.ts';

/** The first message of a TLS handshake, each time with another random value. */
async function clientHello(): Promise<Buffer> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => undefined);
  const [socket] = (await once(listener, 'connection')) as [Socket];
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  listener.close();
  return chunk;
}

/** A connection on which nothing more is sent. */
async function silent(port: number, sent?: Buffer): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  await once(socket, 'connect');
  if (sent) socket.write(sent);
  return socket.resume();
}

const listeners = { operationsBind: '127.0.0.1:0' };
const portOf = (url: string) => Number(new URL(url).port);

describe('a connection whose peer has closed before its handshake was complete', () => {
  let server: TestController;
  let routersPort: number;
  beforeAll(async () => {
    routersPort = await freePort();
    server = await startController({ ...listeners, routersBind: `127.0.0.1:${routersPort}` });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Whether a connection that its peer closes is let go before one that was open and silent all the time. */
  async function isLetGo(port: number, sent?: Buffer): Promise<boolean> {
    const open = await silent(port);
    const closed = await silent(port, sent);
    closed.end();
    const first = await Promise.race([ended(closed).then(() => closed), ended(open).then(() => open)]);
    open.destroy();
    closed.destroy();
    return first === closed;
  }
  const everyForm = async (port: number) => {
    const hello = await clientHello();
    return [await isLetGo(port), await isLetGo(port, hello.subarray(0, 50)), await isLetGo(port, hello)];
  };

  it('is let go at once, on the port of the clients and on that of the routers', async () => {
    expect(await everyForm(portOf(server.url))).toEqual([true, true, true]);
    expect(await everyForm(routersPort)).toEqual([true, true, true]);
  });

  it('is let go at once where an API session was used, and on the port of operations', async () => {
    const token = await server.signIn();
    expect((await server.wire('GET', '/edge/client/v1/current-identity', { token })).status).toBe(200);
    expect(await everyForm(portOf(server.url))).toEqual([true, true, true]);
    expect(await isLetGo(portOf(server.operationsUrl))).toBe(true);
  });
});

it('a connection is ended when its handshake takes too long, on the port of the clients and on that of the routers', async () => {
  const routersPort = await freePort();
  await using server = await startController({ routersBind: `127.0.0.1:${routersPort}` });
  const ports = [portOf(server.url), routersPort];
  await Promise.all(ports.map(async (port) => ended(await silent(port, await clientHello()))));
});

describe('a controller that stops', () => {
  it('does not wait for connections that are silent before or in their handshake', async () => {
    // It goes on, and its limit of time for silent connections is the same.
    await using other = await startController();
    const witness = await silent(portOf(other.url));
    const routersPort = await freePort();
    const server = await startController({ ...listeners, routersBind: `127.0.0.1:${routersPort}` });
    const connections = await Promise.all([
      silent(portOf(server.url)),
      silent(portOf(server.url), await clientHello()),
      silent(routersPort),
      silent(routersPort, await clientHello()),
      silent(portOf(server.operationsUrl)),
    ]);
    await server[Symbol.asyncDispose]();
    await Promise.all(connections.map(ended));
    expect(witness.closed).toBe(false);
    witness.destroy();
  });

  it('completes the handshake and the request of a client that had just connected', async () => {
    const server = await startController();
    const socket = await silent(portOf(server.url));
    const stopped = server[Symbol.asyncDispose]();
    const client = connectTls({ socket, rejectUnauthorized: false }).setEncoding('utf8');
    client.write('GET /edge/client/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let received = '';
    for await (const chunk of client) received += chunk;
    expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close/i);
    await stopped;
  });
});
