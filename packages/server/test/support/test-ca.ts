import { createHash, X509Certificate } from 'node:crypto';
import { extendedKeyUsage, purposes, subjectAltNames } from './certificate-extensions.ts';
import type { Authority, KeyPair, Template } from './certificate-writer.ts';
import { pemOf, write } from './certificate-writer.ts';
import { issuerExtensions, leafExtensions } from './chain.ts';

/** A certificate with its key, as a client presents it on a TLS connection. */
export interface TestClient {
  /** PEM of the private key (PKCS#8). */
  readonly key: string;
  /** PEM of what the client presents: the leaf, then others. */
  readonly cert: string;
  /** PEM of the leaf alone. */
  readonly leafPem: string;
  /** DER of the leaf. */
  readonly der: Buffer;
  /** SHA-1 of the leaf in lower-case hex. */
  readonly fingerprint: string;
  readonly keys: KeyPair;
}

export interface TestCa {
  readonly authority: Authority;
  readonly certPem: string;
  /** SHA-1 in lower-case hex. */
  readonly fingerprint: string;
  /** A client certificate of this CA, valid now. `names`: subject alternative names. It is presented without the CA. */
  client(subject: Template['subject'], changes?: ClientChanges): TestClient;
  /** An intermediate below this CA. Its clients present it after their leaf. */
  intermediate(subject?: Template['subject']): TestCa;
}

type ClientChanges = Partial<Omit<Template, 'issuer' | 'subject'>> & { readonly names?: readonly Buffer[] };

const minute = 60_000;
const hour = 60 * minute;

/** A CA that is valid now, with a name and a key of its own: P-256, unless `keys` are given. */
export function createTestCa(
  subject: Template['subject'] = newName(),
  changes: Partial<Omit<Template, 'subject'>> = {},
): TestCa {
  return caOf(write({ issuer: null, subject, extensions: issuerExtensions, ...validNow(), ...changes }), '');
}

let made = 0;
/** A name that no other CA of this test has. */
export function newName(): string {
  made += 1;
  return `CA ${made} of a test`;
}

function caOf(authority: Authority, presented: string): TestCa {
  return {
    authority,
    certPem: pemOf(authority),
    fingerprint: fingerprintOf(authority.der),
    client(subject, { names = [], ...changes } = {}) {
      const extensions = [
        ...leafExtensions,
        extendedKeyUsage(purposes.clientAuth),
        ...(names.length > 0 ? [subjectAltNames(names)] : []),
      ];
      const { der, keys } = write({ issuer: authority, subject, extensions, ...validNow(), ...changes });
      return clientOf(keys, [pemOf({ der }), presented]);
    },
    intermediate(subject = newName()) {
      const below = write({ issuer: authority, subject, extensions: issuerExtensions, ...validNow() });
      return caOf(below, pemOf(below) + presented);
    },
  };
}

/** What a client presents with a key: the first certificate is the leaf. */
export function clientOf(keys: KeyPair, pems: readonly string[]): TestClient {
  const leaf = new X509Certificate(pems[0] ?? '');
  return {
    key: String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: pems.join(''),
    leafPem: pemOf({ der: leaf.raw }),
    der: leaf.raw,
    fingerprint: fingerprintOf(leaf.raw),
    keys,
  };
}

function fingerprintOf(der: Buffer): string {
  return createHash('sha1').update(der).digest('hex');
}

function validNow(): Pick<Template, 'notBefore' | 'notAfter'> {
  return { notBefore: new Date(Date.now() - 5 * minute), notAfter: new Date(Date.now() + hour) };
}
