import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { certificatesOf, pemOf } from '../../src/pki/pem.ts';
import { signInWith } from '../support/certificate-users.ts';
import { newKeys } from '../support/certificate-writer.ts';
import { startController } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { pending } from '../support/enrollments.ts';
import { createOperatorPki, openssl } from '../support/operator-pki.ts';
import { clientOf } from '../support/test-ca.ts';

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

it('finds the whole chain of a client below two CAs of an operator, in whatever order it is sent', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-own-pki-'));
  await createOperatorPki(join(dataDir, 'pki'), { levels: ['p256', 'p384', 'p256'] });
  await using server = await startController({ dataDir });
  const { token } = await pending(server, await server.signIn(), 'a device', { ott: true });
  const keys = newKeys();
  const body = { clientCsr: writeCsr('a device', { keys }) };
  const { cert } = (await server.wire('POST', `/enroll?token=${token}`, { body })).body.data;
  const sent = certificatesOf(cert);
  expect(sent).toHaveLength(3);
  const isImproper = async (...order: number[]) => {
    const { status, body } = await signInWith(server, clientOf(keys, [pemOf(order.map((at) => sent[at]!))]));
    expect(status).toBe(200);
    return body.data.improperClientCertChain === true;
  };
  const found = [await isImproper(0, 1, 2), await isImproper(0, 2, 1), await isImproper(0, 1), await isImproper(0)];
  expect(found).toEqual([false, false, true, true]);
  rmSync(dataDir, { recursive: true });
});
