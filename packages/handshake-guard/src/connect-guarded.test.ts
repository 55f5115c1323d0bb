import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { dns, subjectAltNames } from '../../server/test/support/certificate-extensions.ts';
import { leafExtensions } from '../../server/test/support/chain.ts';
import { hugeExponents, manyNames } from '../../server/test/support/costly-chains.ts';
import { createTestCa } from '../../server/test/support/test-ca.ts';
import { connectGuarded } from './connect-guarded.ts';

const ca = createTestCa();
const forLocalhost = { extensions: [...leafExtensions, subjectAltNames([dns('localhost')])] };
const { key, cert } = ca.intermediate().client('a provider', forLocalhost);

/** What a server sends to a client that trusts the CA, or why the connection fails. */
async function read(options: TlsOptions, version: 'TLSv1.2' | 'TLSv1.3'): Promise<string> {
  const server = createServer(options, (socket) => socket.on('error', () => undefined).end('a document'));
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const versions = { minVersion: version, maxVersion: version };
  const socket = connectGuarded({ host: '127.0.0.1', port, servername: 'localhost', ca: ca.certPem, ...versions });
  try {
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    await once(socket, 'end');
    return text;
  } catch (error) {
    return (error as Error).message;
  } finally {
    socket.destroy();
    server.close();
  }
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a guarded connection to a server, %s', (version) => {
  it('reads what the server sends', async () => {
    expect(await read({ key, cert }, version)).toBe('a document');
  });

  it('also when the server asks for a certificate', async () => {
    expect(await read({ key, cert, requestCert: true, rejectUnauthorized: false }, version)).toBe('a document');
  });

  it('refuses a server that the CA has not certified', async () => {
    const other = createTestCa().client('another', forLocalhost);
    expect(await read({ key: other.key, cert: other.cert }, version)).toMatch(/unable to|self-signed/);
  });

  it.each([
    ['names and constraints', () => manyNames(1_500, 300), /too many names/],
    ['huge exponents', hugeExponents, /RSA key/],
  ])('fails before OpenSSL reads certificates with %s', async (_kind, make, reason) => {
    expect(await read(make(), version)).toMatch(reason);
  });
});
