import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { certificatesOf } from '../src/pki/pem.ts';
import { startController } from './support/controller.ts';
import { createOperatorPki, openssl } from './support/operator-pki.ts';

it('serves with the RSA certificates of an operator over TLS 1.2 and 1.3, and gives clients all its CAs', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-own-pki-'));
  const pki = await createOperatorPki(join(dataDir, 'pki'), { levels: ['rsa', 'p384', 'rsa'] });
  await using server = await startController({ dataDir, pkiKeyType: 'rsa', address: 'edge.example.org:8443' });
  const handshake = (version: SecureVersion) =>
    new Promise<{ key: string | undefined; alternativeNames: string | undefined; protocol: string | null }>(
      (resolve, reject) => {
        const { port } = new URL(server.url);
        const options = { port: Number(port), host: 'localhost', ca: readFileSync(server.caFile) };
        const socket = connect({ ...options, minVersion: version, maxVersion: version }, () => {
          const certificate = socket.getPeerX509Certificate();
          resolve({
            key: certificate?.publicKey.asymmetricKeyType,
            alternativeNames: certificate?.subjectAltName,
            protocol: socket.getProtocol(),
          });
          socket.destroy();
        });
        socket.on('error', reject);
      },
    );
  for (const protocol of ['TLSv1.2', 'TLSv1.3'] as const) {
    expect(await handshake(protocol)).toEqual({
      key: 'rsa',
      alternativeNames: expect.stringContaining('DNS:edge.example.org'),
      protocol,
    });
  }
  const expected = ['ca.pem', 'intermediate.pem'].flatMap((name) =>
    certificatesOf(readFileSync(join(pki, name), 'utf8')),
  );
  for (const base of ['', '/edge/client/v1', '/edge/management/v1']) {
    const { status, text, headers } = await server.wire('GET', `${base}/.well-known/est/cacerts`);
    expect([status, headers['content-type'], headers['content-transfer-encoding']]).toEqual([
      200,
      'application/pkcs7-mime',
      'base64',
    ]);
    expect(text.split('\n').every((line) => line.length <= 64)).toBe(true);
    const pem = openssl(
      ['pkcs7', '-inform', 'PEM', '-print_certs'],
      `-----BEGIN PKCS7-----\n${text}\n-----END PKCS7-----\n`,
    );
    const sorted = (list: readonly Buffer[]) => list.map((der) => der.toString('hex')).sort();
    expect(sorted(certificatesOf(pem))).toEqual(sorted(expected));
  }
  const { publicKey } = new X509Certificate(readFileSync(join(pki, 'server.pem')));
  expect(publicKey.equals(createPublicKey(readFileSync(join(pki, 'server.key'))))).toBe(true);
  rmSync(dataDir, { recursive: true });
});
