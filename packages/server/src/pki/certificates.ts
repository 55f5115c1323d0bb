// Must come before the certificate library.
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const day = 86_400_000;
/** Milliseconds. Certificates are valid from this long before their creation, because clocks differ. */
const backdating = 5 * 60_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

type CryptoKey = webcrypto.CryptoKey;
type CryptoKeyPair = webcrypto.CryptoKeyPair;

/** A certificate and its private key in PEM. The key is PKCS#8. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Creates a self-signed root CA that is valid for 3,650 days. `now` is in milliseconds since 1970. */
export async function createRoot(now: number): Promise<IssuedCertificate> {
  const keys = await newKeys();
  const name = `CN=Edge Controller Root CA ${randomBytes(4).toString('hex')}`;
  const cert = await issue(
    { subject: name, issuer: name, subjectKey: keys.publicKey, issuerKeys: keys, now },
    3650,
    caExtensions(),
  );
  return { cert, key: await exportKey(keys) };
}

/** Creates an intermediate CA that is valid for 1,825 days. It can issue only end-entity certificates. */
export async function createIntermediate(root: IssuedCertificate, now: number): Promise<IssuedCertificate> {
  const keys = await newKeys();
  const parent = await loadIssuer(root);
  const subject = `CN=Edge Controller Intermediate CA ${randomBytes(4).toString('hex')}`;
  const cert = await issue({ subject, ...parent, subjectKey: keys.publicKey, now }, 1825, caExtensions(0));
  return { cert, key: await exportKey(keys) };
}

/** Creates a server certificate for DNS names and IP addresses, valid for 397 days. Without `key` it creates a key. */
export async function createServer(options: {
  intermediate: IssuedCertificate;
  names: readonly string[];
  now: number;
  key?: string;
}): Promise<IssuedCertificate> {
  const keys = options.key === undefined ? await newKeys() : await importKeys(options.key);
  const parent = await loadIssuer(options.intermediate);
  const subject = 'CN=Edge Controller';
  const cert = await issue({ subject, ...parent, subjectKey: keys.publicKey, now: options.now }, 397, [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(
      options.names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value })),
    ),
  ]);
  return { cert, key: options.key ?? (await exportKey(keys)) };
}

/** Returns certs-only PKCS#7 (RFC 7030, section 4.1.3) in base64: lines of 64 characters, no newline at the end. */
export function certsOnlyPkcs7(pems: readonly string[]): string {
  const bundle = new x509.X509Certificates(pems.map((pem) => new x509.X509Certificate(pem)));
  const base64 = Buffer.from(bundle.export('raw')).toString('base64');
  return (base64.match(/.{1,64}/g) ?? []).join('\n');
}

interface IssueOptions {
  subject: string;
  issuer: string;
  subjectKey: CryptoKey;
  issuerKeys: CryptoKeyPair;
  now: number;
}

async function issue(options: IssueOptions, days: number, extensions: x509.Extension[]): Promise<string> {
  const { subject, issuer, subjectKey, issuerKeys, now } = options;
  const serial = randomBytes(16);
  // The first bit is 0, so that the number is positive. The second is 1, so that it always has 16 bytes.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial.toString('hex'),
    subject,
    issuer,
    notBefore: new Date(now - backdating),
    notAfter: new Date(now + days * day),
    publicKey: subjectKey,
    signingKey: issuerKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      ...extensions,
      await x509.SubjectKeyIdentifierExtension.create(subjectKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuerKeys.publicKey),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

function caExtensions(pathLength?: number): x509.Extension[] {
  const { keyCertSign, cRLSign } = x509.KeyUsageFlags;
  return [
    new x509.BasicConstraintsExtension(true, pathLength, true),
    new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
  ];
}

async function newKeys(): Promise<CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function loadIssuer(issued: IssuedCertificate): Promise<{ issuer: string; issuerKeys: CryptoKeyPair }> {
  return { issuer: new x509.X509Certificate(issued.cert).subject, issuerKeys: await importKeys(issued.key) };
}

async function importKeys(pem: string): Promise<CryptoKeyPair> {
  const der = x509.PemConverter.decodeFirst(pem);
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']);
  const { d: _private, key_ops: _use, ...jwk } = await webcrypto.subtle.exportKey('jwk', privateKey);
  return { privateKey, publicKey: await webcrypto.subtle.importKey('jwk', jwk, algorithm, true, ['verify']) };
}

async function exportKey(keys: CryptoKeyPair): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`;
}
