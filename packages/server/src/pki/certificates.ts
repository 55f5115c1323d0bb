// Must come before the certificate library.
import 'reflect-metadata';
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { childrenOf, readOne, tags } from '@edge-controller/certificate-path';
import * as x509 from '@peculiar/x509';
import { serverSubject } from './check-server.ts';
import type { ClientCertificateRequest, RouterCertificateRequest } from './network-pki.ts';
import { pemOf } from './pem.ts';
import type { CertificateRequest } from './read-csr.ts';
import { readCsr, readNamesOf, refused } from './read-csr.ts';
import { refuseOwnNames, routerNames } from './router-names.ts';
import type { KeyType } from './signing-key.ts';
import { createKey, loadSigningKey } from './signing-key.ts';

const day = 86_400_000;
/** Milliseconds. Certificates are valid from this long before their creation, because clocks differ. */
const backdating = 5 * 60_000;
/** Days. */
const lifetimes = { root: 3_650, intermediate: 1_825, server: 397 };

/** A certificate and its private key in PEM. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A CA that signs. */
export interface IssuingCa {
  readonly certificate: Buffer;
  readonly keyPem: string;
  /** Milliseconds since 1970. What it issues ends with the first certificate above that ends. */
  readonly endsAt: number;
}

/** Creates a self-signed root CA that is valid for 3,650 days. `now` is in milliseconds since 1970. */
export async function createRoot(now: number, keyType: KeyType = 'ec'): Promise<IssuedCertificate> {
  const key = await createKey(keyType, 'ca');
  const { spki } = loadSigningKey(key);
  const name = caName('Root', spki);
  const { keyId } = await x509.SubjectKeyIdentifierExtension.create(spki);
  const template = { subject: name, spki, ...lifetime(now, lifetimes.root), extensions: caExtensions() };
  return { cert: await issue({ name, keyPem: key, keyId }, template), key };
}

/** Creates an intermediate CA for a key. It can issue only end-entity certificates. It is valid for 1,825 days at most. */
export function createIntermediate(root: IssuingCa, keyPem: string, now: number): Promise<string> {
  const { spki } = loadSigningKey(keyPem);
  return issueBelow(root, {
    subject: caName('Intermediate', spki),
    spki,
    ...lifetime(now, lifetimes.intermediate),
    extensions: caExtensions(0),
  });
}

/** Issues a CA certificate again: the same subject, key and extensions, but valid for 1,825 days from now at most. */
export function renewCa(issuer: IssuingCa, old: Buffer, now: number): Promise<string> {
  const { subjectName, publicKey, extensions } = new x509.X509Certificate(old);
  const spki = Buffer.from(publicKey.rawData);
  return issueBelow(issuer, { subject: subjectName, spki, ...lifetime(now, lifetimes.intermediate), extensions });
}

/** Creates a server certificate for DNS names and IP addresses, valid for 397 days at most. */
export function createServer(
  issuer: IssuingCa,
  keyPem: string,
  names: readonly string[],
  now: number,
): Promise<string> {
  const { digitalSignature } = x509.KeyUsageFlags;
  return issueBelow(issuer, {
    subject: new x509.Name(serverSubject),
    spki: loadSigningKey(keyPem).spki,
    ...lifetime(now, lifetimes.server),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
    ],
  });
}

/**
 * Issues a client certificate in PEM. `reserved` has the SubjectPublicKeyInfo of keys that no client may have.
 *
 * @throws ApiError `COULD_NOT_PROCESS_CSR`
 */
export function issueClient(
  issuer: IssuingCa,
  request: ClientCertificateRequest,
  reserved: readonly Buffer[],
): Promise<string> {
  const csr = readCsr(request.csr);
  const usage = x509.ExtendedKeyUsage.clientAuth;
  return issueFor(issuer, csr, { ...request, usage, names: identityNames(request), reserved });
}

/**
 * Issues a certificate of a router in PEM. `reserved` has what belongs to the controller: keys as SubjectPublicKeyInfo, host
 * names and addresses.
 *
 * @throws ApiError `COULD_NOT_PROCESS_CSR`
 */
export async function issueRouter(
  issuer: IssuingCa,
  request: RouterCertificateRequest,
  reserved: { readonly keys: readonly Buffer[]; readonly names: readonly string[] },
): Promise<string> {
  const csr = readCsr(request.csr);
  const names = routerNames({ ...csr, alternativeNames: readNamesOf(csr) }, reserved.names);
  const usage = x509.ExtendedKeyUsage[request.usage === 'client' ? 'clientAuth' : 'serverAuth'];
  const extension = names.length > 0 ? new x509.SubjectAlternativeNameExtension([...names]) : null;
  const pem = await issueFor(issuer, csr, { ...request, usage, names: extension, reserved: reserved.keys });
  refuseOwnNames(pem, reserved.names);
  return pem;
}

interface EndEntity {
  /** The common name, instead of the subject of the CSR. */
  readonly commonName?: string;
  /** The object identifier. */
  readonly usage: string;
  readonly names: x509.Extension | null;
  readonly reserved: readonly Buffer[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

async function issueFor(issuer: IssuingCa, csr: CertificateRequest, wanted: EndEntity): Promise<string> {
  const { commonName, usage, names, notBefore, notAfter } = wanted;
  if (wanted.reserved.some((spki) => spki.equals(csr.spki))) throw refused('the key belongs to the controller');
  const subject = new x509.Name(commonName === undefined ? csr.subject : [{ CN: [commonName] }]);
  // Critical when there is no subject (RFC 5280, section 4.2.1.6).
  const critical = commonName === undefined && csr.hasEmptySubject;
  const { digitalSignature, keyEncipherment, dataEncipherment } = x509.KeyUsageFlags;
  const pem = await issueBelow(issuer, {
    subject,
    spki: csr.spki,
    notBefore,
    notAfter,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(digitalSignature | keyEncipherment | dataEncipherment, true),
      new x509.ExtendedKeyUsageExtension([usage]),
      ...(names ? [new x509.Extension(names.type, critical, names.value)] : []),
    ],
  });
  if (commonName === undefined && !subjectOf(pem)?.equals(csr.subject)) {
    throw refused('the subject of the CSR has a value that cannot be copied');
  }
  return pem;
}

/**
 * DER of the Name. The library may write some kinds of strings in another way. `null`: OpenSSL cannot read the certificate, so
 * nobody could present it.
 */
function subjectOf(pem: string): Buffer | null {
  try {
    const [signed] = childrenOf(readOne(new X509Certificate(pem).raw, tags.sequence));
    return (signed && childrenOf(signed)[5])?.raw ?? null;
  } catch {
    return null;
  }
}

function identityNames({ namesOf, uri }: ClientCertificateRequest): x509.Extension {
  const copied = namesOf && new x509.X509Certificate(namesOf).getExtension(x509.SubjectAlternativeNameExtension);
  return copied ?? new x509.SubjectAlternativeNameExtension([{ type: 'url', value: uri }]);
}

interface Template {
  readonly subject: x509.Name;
  readonly spki: Buffer;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly x509.Extension[];
}

/** Adds the key identifiers, unless the template has some already. */
async function issueBelow({ certificate, keyPem, endsAt }: IssuingCa, template: Template): Promise<string> {
  const issuer = new x509.X509Certificate(certificate);
  const notAfter = Math.min(template.notAfter, endsAt);
  return issue({ name: issuer.subjectName, keyPem, keyId: await keyIdOf(issuer) }, { ...template, notAfter });
}

async function keyIdOf(certificate: x509.X509Certificate): Promise<string> {
  const own = certificate.getExtension(x509.SubjectKeyIdentifierExtension);
  return (own ?? (await x509.SubjectKeyIdentifierExtension.create(certificate.publicKey))).keyId;
}

interface Signer {
  readonly name: x509.Name;
  readonly keyPem: string;
  readonly keyId: string;
}

async function issue({ name, keyPem, keyId }: Signer, template: Template): Promise<string> {
  const { key, hash } = loadSigningKey(keyPem);
  const extensions = [...template.extensions];
  if (!extensions.some((extension) => extension instanceof x509.SubjectKeyIdentifierExtension)) {
    extensions.push(await x509.SubjectKeyIdentifierExtension.create(template.spki));
    extensions.push(new x509.AuthorityKeyIdentifierExtension(keyId));
  }
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomBytes(16).toString('hex'),
    subject: template.subject,
    issuer: name,
    notBefore: new Date(template.notBefore),
    notAfter: new Date(template.notAfter),
    publicKey: template.spki,
    signingKey: key,
    signingAlgorithm: { hash },
    extensions,
  });
  return pemOf([Buffer.from(certificate.rawData)]);
}

/** A name of its own for each key. Processes that issue a certificate for the same key at once choose the same name. */
function caName(role: 'Root' | 'Intermediate', spki: Buffer): x509.Name {
  const print = createHash('sha256').update(spki).digest('hex').slice(0, 8);
  return new x509.Name(`CN=Edge Controller ${role} CA ${print}`);
}

function lifetime(now: number, days: number) {
  return { notBefore: now - backdating, notAfter: now + days * day };
}

function caExtensions(pathLength?: number): x509.Extension[] {
  const { keyCertSign, cRLSign } = x509.KeyUsageFlags;
  return [
    new x509.BasicConstraintsExtension(true, pathLength, true),
    new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
  ];
}
