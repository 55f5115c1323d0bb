import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../lib/clock.ts';
import type { IssuedCertificate } from './certificates.ts';
import type { Files } from './files.ts';
import { createDirectory, removeAbandoned, replaceFile } from './files.ts';

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

const fileNames = {
  root: { cert: 'ca.pem', key: 'root.key' },
  intermediate: { cert: 'intermediate.pem', key: 'intermediate.key' },
  server: { cert: 'server.pem', key: 'server.key' },
} as const;
const localNames = ['localhost', '127.0.0.1', '::1'];
/** Milliseconds. A server certificate that expires within this time is renewed. */
const renewalWindow = 30 * 86_400_000;

/**
 * Opens the PKI in `dir`, or creates it on the first start. The root, the intermediate and the server key never
 * change. The server certificate is issued again when the names have changed or when it expires within 30 days.
 * Several processes may open the same directory at the same time.
 *
 * @throws Error when some files of the PKI are missing
 */
export async function openPki(options: { dir: string; names: readonly string[]; clock: Clock }): Promise<Pki> {
  const { dir } = options;
  const now = options.clock();
  const names = uniqueNames([...localNames, ...options.names]);
  await removeAbandoned(dir, now);
  let files = await readFiles(dir);
  if (!files) {
    await createDirectory(dir, await createHierarchy(names, now));
    files = await readFiles(dir);
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

/** Returns `null` when the directory has none of the files. */
async function readFiles(dir: string): Promise<Record<keyof typeof fileNames, IssuedCertificate> | null> {
  const missing: string[] = [];
  const read = async (name: string) => {
    try {
      return await readFile(join(dir, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      missing.push(name);
      return '';
    }
  };
  const readPair = async ({ cert, key }: { cert: string; key: string }) => ({
    cert: await read(cert),
    key: await read(key),
  });
  const root = await readPair(fileNames.root);
  const intermediate = await readPair(fileNames.intermediate);
  const server = await readPair(fileNames.server);
  if (missing.length === 6) return null;
  if (missing.length > 0) {
    throw new Error(
      `the PKI in ${dir} is incomplete: ${missing.join(', ')} missing. Restore the files. Or remove the whole directory: the controller then creates a new PKI, and clients must trust its root`,
    );
  }
  return { root, intermediate, server };
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
