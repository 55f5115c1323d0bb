import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../lib/clock.ts';
import { fileError } from '../lib/file-problem.ts';
import type { Files } from './files.ts';
import { createDirectory, removeAbandoned, replaceFile } from './files.ts';
import { fileNames, readPkiFiles } from './read-pki-files.ts';

/** The public key infrastructure of a controller. All certificates and keys are PEM. */
export interface Pki {
  /** The root certificate. Clients trust it. */
  readonly caPem: string;
  readonly serverKeyPem: string;
  /** The server certificate, then the intermediate. */
  readonly serverCertChainPem: string;
  readonly intermediatePem: string;
  /** SHA-1 of the server certificate, in lower-case hex. */
  readonly serverKid: string;
}

/** The names of the files with private keys. */
export const keyFiles: readonly string[] = Object.values(fileNames).map(({ key }) => key);
const localNames = ['localhost', '127.0.0.1', '::1'];
/** Milliseconds. A server certificate that expires within this time is renewed. */
const renewalWindow = 30 * 86_400_000;

/**
 * Opens the PKI in `dir`, or creates it on the first start. The root, the intermediate and the server key never
 * change. The server certificate is issued again when the names have changed or when it expires within 30 days.
 * Several processes may open the same directory at the same time.
 *
 * @throws StartError with all problems: files that are missing, unreadable, damaged, of another PKI, or have expired
 */
export async function openPki(options: PkiOptions): Promise<Pki> {
  try {
    return await openFiles(options);
  } catch (error) {
    throw fileError(options.dir, error);
  }
}

interface PkiOptions {
  readonly dir: string;
  readonly names: readonly string[];
  readonly clock: Clock;
}

async function openFiles(options: PkiOptions): Promise<Pki> {
  const { dir } = options;
  const now = options.clock();
  const names = uniqueNames([...localNames, ...options.names]);
  await removeAbandoned(dir, now);
  let files = await readPkiFiles(dir, now);
  if (!files) {
    await createDirectory(dir, await createHierarchy(names, now));
    files = await readPkiFiles(dir, now);
  }
  if (!files) throw new Error(`the PKI in ${dir} could not be created`);
  const { root, intermediate } = files;
  let { server } = files;
  if (!isCurrent(new X509Certificate(server.cert), names, now)) {
    const { createServer } = await importCertificates();
    server = await createServer({ intermediate, names, now, key: server.key });
    await replaceFile(join(dir, fileNames.server.cert), server.cert);
  }
  return {
    caPem: root.cert,
    serverKeyPem: server.key,
    serverCertChainPem: server.cert + intermediate.cert,
    intermediatePem: intermediate.cert,
    serverKid: new X509Certificate(server.cert).fingerprint.replaceAll(':', '').toLowerCase(),
  };
}

/** Returns root and intermediate as certs-only PKCS#7 (RFC 7030, section 4.1.3): base64 in lines of 64 characters. */
export async function caBundle({ caPem, intermediatePem }: Pki): Promise<string> {
  const { certsOnlyPkcs7 } = await importCertificates();
  return certsOnlyPkcs7([caPem, intermediatePem]);
}

/** Imported when it is needed: the library takes much of the start time, and most starts create no certificate. */
const importCertificates = () => import('./certificates.ts');

async function createHierarchy(names: readonly string[], now: number): Promise<Files> {
  const { createIntermediate, createRoot, createServer } = await importCertificates();
  const root = await createRoot(now);
  const intermediate = await createIntermediate(root, now);
  const server = await createServer({ intermediate, names, now });
  const entries = Object.entries({ root, intermediate, server }).flatMap(([role, issued]) => {
    const { cert, key } = fileNames[role as keyof typeof fileNames];
    return [
      [cert, issued.cert],
      [key, issued.key],
    ];
  });
  return Object.fromEntries(entries);
}

function isCurrent(certificate: X509Certificate, names: readonly string[], now: number): boolean {
  if (certificate.validToDate.getTime() - now < renewalWindow) return false;
  const expected = names.map((name) => {
    return ipaddr.isValid(name) ? `IP Address:${ipaddr.parse(name).toNormalizedString()}` : `DNS:${name}`;
  });
  return certificate.subjectAltName?.toLowerCase() === expected.join(', ').toLowerCase();
}

function uniqueNames(names: readonly string[]): string[] {
  const canonical = names.map((name) => (ipaddr.isValid(name) ? ipaddr.parse(name).toString() : name.toLowerCase()));
  return [...new Set(canonical)];
}
