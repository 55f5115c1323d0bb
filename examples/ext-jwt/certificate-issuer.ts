// Must come before the certificate library.
import 'reflect-metadata';
import { createHash } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { JwtIssuer } from './jwt-issuer.ts';
import { signJwt } from './jwt-issuer.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** An issuer with one key, whose certificate the administrator gives to the controller. */
export async function createCertificateIssuer(issuer: string): Promise<JwtIssuer & { readonly certPem: string }> {
  const keys = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: ['A signer of JWTs'] }],
    keys,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true)],
  });
  // Without a kid of its own, a signer has the SHA-1 fingerprint of its certificate.
  const kid = createHash('sha1').update(new Uint8Array(certificate.rawData)).digest('hex');
  return {
    issuer,
    certPem: certificate.toString('pem'),
    sign: (claims) => signJwt({ issuer, claims, kid, privateKey: keys.privateKey }),
  };
}
