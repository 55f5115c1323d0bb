import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { ConnectionOptions, TlsOptions } from 'node:tls';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createClientChain } from '../../server/test/support/client-chain.ts';
import { hugeExponents, manyNames, slowestAccepted } from '../../server/test/support/costly-chains.ts';
import { ended } from '../../server/test/support/ended.ts';
import { createTestCa } from '../../server/test/support/test-ca.ts';
import { presentedCertificates, sentCertificates } from './client-certificates.ts';
import { guards } from './connection-guard.ts';
import { guardHandshakes } from './guard-handshakes.ts';

const own = createTestCa().client('a server');
const server = { key: own.key, cert: own.cert };
const chain = createClientChain(3);

interface Guarded extends AsyncDisposable {
  readonly port: number;
  /** The connections whose handshake is complete, and why others failed. */
  readonly accepted: Socket[];
  readonly refused: string[];
}

async function startServer(options: TlsOptions = {}): Promise<Guarded> {
  const accepted: Socket[] = [];
  const refused: string[] = [];
  const tls = createServer({ ...server, requestCert: true, rejectUnauthorized: false, ca: [], ...options });
  guardHandshakes(tls, {
    groupOf: ({ remoteAddress = '' }) => remoteAddress,
    onRefused: (error) => refused.push(error.message),
  });
  tls.on('tlsClientError', () => undefined);
  tls.on('secureConnection', (socket) => {
    accepted.push(socket);
    socket.on('error', () => undefined).pipe(socket);
  });
  tls.listen(0, '127.0.0.1');
  await once(tls, 'listening');
  return {
    port: (tls.address() as AddressInfo).port,
    accepted,
    refused,
    async [Symbol.asyncDispose]() {
      for (const socket of accepted) socket.destroy();
      tls.close();
      await once(tls, 'close');
    },
  };
}

/** Sends a text, and returns what comes back; rejects when the connection fails. */
async function echo(port: number, options: ConnectionOptions = {}): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  socket.end('a text');
  await once(socket, 'close');
  if (received.length === 0) throw new Error('the connection was closed');
  return Buffer.concat(received).toString();
}

/** A proxy that sends each byte of the client alone. */
async function slowly(port: number) {
  const proxy = createTcpServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const target = connectTcp({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    client.on('data', (chunk) => {
      for (const byte of chunk) target.write(Buffer.from([byte]));
    });
    client.on('end', () => target.end());
    target.pipe(client);
    for (const socket of [client, target]) socket.on('error', () => undefined);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return { port: (proxy.address() as AddressInfo).port, [Symbol.dispose]: () => void proxy.close() };
}

interface Version {
  readonly name: string;
  readonly client?: ConnectionOptions;
  readonly options?: TlsOptions;
}

const versions: readonly Version[] = [
  { name: 'TLS 1.2', client: { maxVersion: 'TLSv1.2' } },
  { name: 'TLS_AES_128_GCM_SHA256', client: { ciphers: 'TLS_AES_128_GCM_SHA256' } },
  { name: 'TLS_AES_256_GCM_SHA384', client: { ciphers: 'TLS_AES_256_GCM_SHA384' } },
  { name: 'TLS_CHACHA20_POLY1305_SHA256', client: { ciphers: 'TLS_CHACHA20_POLY1305_SHA256' } },
  { name: 'a second hello', client: { ecdhCurve: 'X25519:P-256' }, options: { ecdhCurve: 'P-256' } },
];

describe.each(versions)('a guarded handshake with $name', ({ client = {}, options }) => {
  it('shows all certificates in the order in which they were sent', async () => {
    await using guarded = await startServer(options);
    for (const order of [[0], [0, 1, 2, 3], [0, 3, 1, 2], [0, 2, 3]]) {
      expect(await echo(guarded.port, { ...client, key: chain.key, cert: chain.pem(...order) })).toBe('a text');
      const socket = guarded.accepted.at(-1)!;
      expect(presentedCertificates(socket)).toEqual(order.map((at) => chain.der[at]));
      expect(sentCertificates(socket)).toEqual(order.map((at) => chain.der[at]));
    }
  });

  it('shows none when the client has none, and knows the address of the client', async () => {
    await using guarded = await startServer(options);
    expect(await echo(guarded.port, client)).toBe('a text');
    expect(presentedCertificates(guarded.accepted[0]!)).toEqual([]);
    expect(guarded.accepted[0]!.remoteAddress).toBe('127.0.0.1');
  });

  it('is read byte by byte', async () => {
    await using guarded = await startServer(options);
    using proxy = await slowly(guarded.port);
    expect(await echo(proxy.port, { ...client, key: chain.key, cert: chain.pem(0, 2, 1) })).toBe('a text');
    expect(presentedCertificates(guarded.accepted[0]!)).toHaveLength(3);
  });

  it.each([
    ['96 KB of names and constraints', () => manyNames(5_500, 800), /a handshake message of/],
    ['names and constraints', () => manyNames(1_500, 300), /too many names/],
    ['huge exponents', hugeExponents, /RSA key/],
  ])('is refused before OpenSSL reads certificates with %s', async (_kind, make, reason) => {
    await using guarded = await startServer(options);
    await expect(echo(guarded.port, { ...client, ...make() })).rejects.toThrow();
    expect(guarded.refused).toEqual([expect.stringMatching(reason)]);
    expect(guarded.accepted).toEqual([]);
  });

  it('goes on with a chain in which a signature is wrong, also a long one', async () => {
    await using guarded = await startServer(options);
    const { key, cert } = createTestCa('made up').client('outsider');
    const issuers = createTestCa('strict').client('made up').leafPem + createTestCa().certPem.repeat(8);
    for (const sent of [issuers, issuers + createTestCa().certPem]) {
      expect(await echo(guarded.port, { ...client, key, cert: cert + sent })).toBe('a text');
    }
    // More than ten certificates count as none.
    expect(guarded.accepted.map((socket) => presentedCertificates(socket).length)).toEqual([10, 0]);
  });

  it('goes on with certificates that nobody has signed', async () => {
    await using guarded = await startServer(options);
    const { key, cert } = slowestAccepted();
    expect(await echo(guarded.port, { ...client, key, cert })).toBe('a text');
    expect(presentedCertificates(guarded.accepted[0]!)).toHaveLength(10);
  });
});

describe('a guard', () => {
  it.each([
    ['something else than TLS', 'GET / HTTP/1.1\r\n\r\n', 'no TLS'],
    ['an alert and then nothing', '\x15\x03\x01\x00\x02\x02\x28', null],
    ['a record that is too long', '\x16\x03\x01\xff\xff', 'a record that is too long'],
    ['an empty record', '\x16\x03\x01\x00\x00', 'an empty record'],
    ['a message that is too long', '\x16\x03\x01\x00\x04\x01\xff\xff\xff', /a handshake message of \d+ bytes/],
    ['certificates', '\x16\x03\x01\x00\x07\x0b\x00\x00\x03\x00\x00\x00', 'certificates before the hello'],
  ])('ends a connection that begins with %s', async (_kind, bytes, reason) => {
    await using guarded = await startServer();
    const socket = connectTcp({ port: guarded.port, host: '127.0.0.1' });
    socket.end(Buffer.from(bytes, 'latin1'));
    socket.resume().on('error', () => undefined);
    await ended(socket);
    expect(guarded.accepted).toEqual([]);
    if (reason) expect(guarded.refused).toEqual([expect.stringMatching(reason)]);
  });

  it('reads no more of a client whose handshake has to wait', async () => {
    await using guarded = await startServer();
    const { key, cert } = slowestAccepted();
    // Each makes the address wait for half a second and more.
    const others = Array.from({ length: 4 }, () => echo(guarded.port, { key, cert }));
    await others[0];
    const hello = Buffer.concat([Buffer.from('160301002801000024', 'hex'), Buffer.alloc(36, 3)]);
    const socket = connectTcp({ port: guarded.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.write(hello);
    for (let at = 0; at < 50; at += 1) socket.write(Buffer.alloc(1_000_000, 0x16));
    await setTimeout(800);
    expect(socket.writableLength).toBeGreaterThan(20_000_000);
    socket.destroy();
    await Promise.all(others);
  });

  it('leaves the connections of an address alone where a session was used, until a handshake there was costly', async () => {
    await using guarded = await startServer();
    await echo(guarded.port);
    guards.get(guarded.accepted[0]!)?.sawSession?.();
    const { key, cert } = hugeExponents(2_048);
    await echo(guarded.port, { key, cert });
    expect(guarded.accepted).toHaveLength(2);
    await expect(echo(guarded.port, { key, cert })).rejects.toThrow();
    guards.get(guarded.accepted[0]!)?.sawSession?.();
    await expect(echo(guarded.port, { key, cert })).rejects.toThrow();
  });
});
