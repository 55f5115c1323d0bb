// Must come before the certificate library.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const day = 86_400_000;

/** A private key and its certificate in PEM. */
export interface Issued {
  readonly key: string;
  readonly cert: string;
}

export interface FactoryCa {
  /** The certificate of the CA in PEM. */
  readonly certPem: string;
  /** Issues a client certificate with a new key. */
  issue(commonName: string): Promise<Issued>;
}

/** Creates a CA that exists only in memory. */
export async function createFactoryCa(name: string): Promise<FactoryCa> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    ...validity(365),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    certPem: `${root.toString('pem')}\n`,
    async issue(commonName) {
      const leafKeys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const leaf = await x509.X509CertificateGenerator.create({
        subject: [{ CN: [commonName] }],
        issuer: root.subject,
        publicKey: leafKeys.publicKey,
        signingKey: keys.privateKey,
        ...validity(30),
        signingAlgorithm: algorithm,
        extensions: [
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
          await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
        ],
      });
      const pkcs8 = await crypto.subtle.exportKey('pkcs8', leafKeys.privateKey);
      return { cert: `${leaf.toString('pem')}\n`, key: `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n` };
    },
  };
}

/** Begins a little earlier, because clocks differ. */
function validity(days: number) {
  return { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + days * day) };
}
