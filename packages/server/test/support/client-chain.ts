import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

interface Party {
  readonly keys: webcrypto.CryptoKeyPair;
  readonly certificate: x509.X509Certificate;
}

export interface ClientChain {
  /** PEM of the private key of the leaf. */
  readonly key: string;
  /** DER: the leaf, then its issuers up to the last one below the root. */
  readonly der: readonly Buffer[];
  /** PEM of the certificates of `der` with these indexes. */
  pem(...indexes: readonly number[]): string;
}

/** A client certificate below so many intermediates of a root of their own. */
export async function createClientChain(intermediates: number): Promise<ClientChain> {
  let issuer = await issue('CN=root of a test', null);
  const below: Party[] = [];
  for (let at = 0; at < intermediates; at += 1) {
    issuer = await issue(`CN=intermediate ${at} of a test`, issuer);
    below.unshift(issuer);
  }
  const leaf = await issue('CN=a device', issuer);
  const certificates = [leaf, ...below].map(({ certificate }) => certificate);
  const key = await webcrypto.subtle.exportKey('pkcs8', leaf.keys.privateKey);
  return {
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
    der: certificates.map(({ rawData }) => Buffer.from(rawData)),
    pem: (...indexes) => indexes.map((at) => certificates[at]!.toString('pem')).join('\n'),
  };
}

async function issue(subject: string, issuer: Party | null): Promise<Party> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomBytes(8).toString('hex'),
    subject,
    issuer: issuer?.certificate.subject ?? subject,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: algorithm,
  });
  return { keys, certificate };
}
