import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { connect, createServer } from 'node:tls';
import { guardHandshakes, sentCertificates } from '@edge-controller/handshake-guard';
import { StartError } from '../core/start/start-error.ts';
import { tlsOptions } from './tls-options.ts';

interface Keys {
  /** PEM. */
  readonly key: string;
  /** PEM of a certificate for the key, and of its issuers up to the root. */
  readonly chain: readonly string[];
}

/** Milliseconds. */
const timeout = 5_000;

/**
 * Connects to itself, and checks that the controller sees all certificates that a client sends, in the order in which they
 * were sent, and none when a TLS session is resumed. Some versions of Node hide certificates from the server.
 *
 * @throws StartError when this Node cannot be used
 */
export async function testClientCertificates({ key, chain: [leaf = '', ...issuers] }: Keys): Promise<void> {
  const cert = [leaf, ...issuers.toReversed()];
  const sent = cert.map((pem) => new X509Certificate(pem).raw);
  const [first, second] = await seenCertificates({ key, cert: cert.join('') });
  const isWhole = first?.length === sent.length && sent.every((der, index) => first[index]?.equals(der));
  if (isWhole && second?.length === 0) return;
  const message = `Node ${process.version} does not show the controller which certificates a client sends`;
  const fix = 'use another version of Node, preferably one that this controller was tested with';
  throw new StartError([{ message, setting: null, fix, kind: 'unusable' }]);
}

/** What the server sees of a connection, and of a second one without a certificate that resumes the first. */
async function seenCertificates(keys: { key: string; cert: string }) {
  const seen: (readonly Buffer[])[] = [];
  const server = createServer(tlsOptions(keys));
  guardHandshakes(server, { groupOf: () => '', onRefused() {} });
  server.on('secureConnection', (socket) => {
    seen.push(sentCertificates(socket));
    socket.on('error', () => undefined).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    // Without `ca`, Node would read all roots of the world.
    const target = { port, host: '127.0.0.1', ca: [], rejectUnauthorized: false };
    const session = await connectOnce({ ...target, ...keys });
    await connectOnce({ ...target, ...(session && { session }) });
  } finally {
    server.close();
  }
  return seen;
}

/** Returns the TLS session that the server offers for resumption, if it does. */
async function connectOnce(options: ConnectionOptions): Promise<Buffer | undefined> {
  let session: Buffer | undefined;
  const socket = connect({ ...options, timeout });
  socket.on('session', (offered: Buffer) => {
    session = offered;
  });
  socket.on('timeout', () => socket.destroy(new Error('the connection of the controller to itself does not end')));
  socket.resume();
  await once(socket, 'close');
  return session;
}
