import { sign, X509Certificate } from 'node:crypto';
import { childrenOf, constructed, readOne, sequenceOf, tags } from '@edge-controller/certificate-path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certificateSignIn } from '../support/certificate-users.ts';
import { derNull, newKeys, oid, sequence } from '../support/certificate-writer.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { pending } from '../support/enrollments.ts';
import { wireOf } from '../support/request.ts';
import { clientOf } from '../support/test-ca.ts';

/** A client on the C SDK with mbed TLS sends this: ECDSA with SHA-256 and NULL behind the name of the algorithm. */
const csrOfMbedTls = `-----BEGIN CERTIFICATE REQUEST-----
MIHyMIGXAgEAMDUxCzAJBgNVBAYTAlVTMREwDwYDVQQKDAhPcGVuWml0aTETMBEG
A1UEAwwKYSBDIGRldmljZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABArCd7GJ
MkEQNGXxn13/WkZ1Rm9mVYCvsMPiGnf6mHQGEWqjpewe7259S+VinM9TGriAkZit
HWyt0bCy03nEw2KgADAMBggqhkjOPQQDAgUAA0gAMEUCIQCN+1rlCaQqkKNpXz9w
1pV+5+X1LbgVK+4xZjP8z2LJ5gIgJ7saRgkMjXooG1rWpmlYB7YMP19dglLe1IOc
6N7VMuI=
-----END CERTIFICATE REQUEST-----
`;
const signedData = '06092a864886f70d010702';
const data = '06092a864886f70d010701';

let server: TestController;
let admin: string;

beforeAll(async () => {
  server = await startController();
  admin = await server.signIn();
});
afterAll(() => server[Symbol.asyncDispose]());

const redeem = async (name: string, csr: string) => {
  const { token } = await pending(server, admin, name, { ott: true });
  const headers = { 'content-type': 'application/x-pem-file' };
  return server.wire('POST', `/enroll?method=ott&token=${token}`, { raw: csr, headers });
};

it('the CA bundle is signed data in the one form that mbed TLS reads: the type of the content alone', async () => {
  const { text } = await server.wire('GET', '/.well-known/est/cacerts');
  const contentInfo = sequenceOf(readOne(Buffer.from(text, 'base64'), tags.sequence));
  expect(contentInfo.next(tags.oid).raw.toString('hex')).toBe(signedData);
  const [inner] = childrenOf(contentInfo.next(constructed(0)));
  contentInfo.end();
  const parts = sequenceOf(inner);
  expect(parts.next(tags.integer).content).toEqual(Buffer.from([1]));
  parts.next(tags.set);
  expect(childrenOf(parts.next(tags.sequence)).map(({ raw }) => raw.toString('hex'))).toEqual([data]);
  const certificates = childrenOf(parts.next(constructed(0))).map(({ raw }) => new X509Certificate(raw));
  expect(certificates.map(({ ca }) => ca)).toEqual([true, true]);
  expect(childrenOf(parts.next(tags.set))).toEqual([]);
  parts.end();
});

it('a CSR with NULL behind ECDSA brings a certificate', async () => {
  const { status, text, body } = await redeem('a C device', csrOfMbedTls);
  expect(status, text).toBe(200);
  expect(new X509Certificate(body.data.cert).subject).toBe('C=US\nO=OpenZiti\nCN=a C device');
});

it.each([
  [2, 'sha256'],
  [3, 'sha384'],
  [4, 'sha512'],
] as const)('a CSR with NULL behind ECDSA algorithm %i brings a certificate that signs in', async (number, hash) => {
  const keys = newKeys();
  const signing = {
    algorithm: sequence(oid(`1.2.840.10045.4.3.${number}`), derNull),
    sign: (bytes: Buffer) => sign(hash, bytes, keys.privateKey),
  };
  const redeemed = await redeem(`a device with ${hash}`, writeCsr('a device', { keys, signing }));
  expect(redeemed.status, redeemed.text).toBe(200);
  const device = wireOf(server, clientOf(keys, [redeemed.body.data.cert]));
  expect((await device('POST', certificateSignIn, { body: {} })).status).toBe(200);
});

it('a CSR with other parameters behind ECDSA is refused', async () => {
  const keys = newKeys();
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'), oid('1.2.840.10045.3.1.7'));
  const signing = { algorithm, sign: (bytes: Buffer) => sign('sha256', bytes, keys.privateKey) };
  const { status, body } = await redeem('other parameters', writeCsr('a device', { keys, signing }));
  expect([status, body.error.code]).toEqual([400, 'COULD_NOT_PROCESS_CSR']);
});
