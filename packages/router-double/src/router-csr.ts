// Must come before the certificate library.
import 'reflect-metadata';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

interface RouterCsr {
  /** The id of the router, which is the common name. */
  readonly id: string;
  /** The private key in PEM: P-256. */
  readonly keyPem: string;
  /** DNS names and IP addresses under which applications and routers find it. */
  readonly names: readonly string[];
}

/** Makes a certification request (PKCS#10) in PEM. */
export async function createRouterCsr({ id, keyPem, names }: RouterCsr): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const privateKey = createPrivateKey(keyPem).toCryptoKey(algorithm, false, ['sign']);
  const publicKey = createPublicKey(keyPem).toCryptoKey(algorithm, true, ['verify']);
  const alternative = names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const);
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    name: new x509.Name([{ CN: [id] }]),
    keys: { privateKey, publicKey },
    signingAlgorithm: { ...algorithm, hash: 'SHA-256' },
    extensions: alternative.length > 0 ? [new x509.SubjectAlternativeNameExtension(alternative)] : [],
  });
  return `${csr.toString('pem')}\n`;
}
