import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Certificate } from '@edge-controller/certificate-path';
import type { IssuingCa } from './certificates.ts';
import { keyHolder, renewingRoot } from './check-authority.ts';
import { hasNames, isOwnServer, namesOf } from './check-server.ts';
import { createDirectory, createFile, replaceFile } from './files.ts';
import type { FoundPki } from './inspect-pki.ts';
import { pemOf } from './pem.ts';
import { fileNames } from './read-pki-files.ts';
import type { KeyType } from './signing-key.ts';
import { createKey } from './signing-key.ts';

const day = 86_400_000;
/** Milliseconds. A client certificate is valid for a year, and should not end earlier because its issuer does. */
const intermediateWindow = 400 * day;
const serverWindow = 30 * day;
/** Milliseconds that a new certificate must be valid longer than the old one. Its issuer may end before that. */
const leastGain = day;

interface CompleteOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly keyType: KeyType;
  /** The names of the server certificate. `null`: those that it has. */
  readonly names: readonly string[] | null;
}

/** Imported when it is needed: the library takes much of the start time, and most starts create no certificate. */
const importCertificates = () => import('./certificates.ts');

/** Creates a whole PKI. When another process was faster, its files stay. */
export async function createPki(
  dir: string,
  { now, keyType, names }: CompleteOptions & { names: readonly string[] },
): Promise<void> {
  const { createIntermediate, createRoot, createServer } = await importCertificates();
  const root = await createRoot(now, keyType);
  const [intermediateKey, serverKey] = [await createKey(keyType, 'ca'), await createKey(keyType, 'server')];
  const intermediate = await createIntermediate(issuerOf(root.cert, root.key), intermediateKey, now);
  const server = await createServer(issuerOf(intermediate, intermediateKey), serverKey, names, now);
  await createDirectory(dir, {
    [fileNames.root.cert]: root.cert,
    [fileNames.root.key]: root.key,
    [fileNames.intermediate.cert]: intermediate,
    [fileNames.intermediate.key]: intermediateKey,
    [fileNames.server.cert]: server,
    [fileNames.server.key]: serverKey,
  });
}

/**
 * Issues the intermediate when it is missing or expires soon, and the key of the root is there. It keeps its key and its
 * name, so what it has issued stays valid. Returns false when nothing had to be done, or when something is wrong.
 */
export async function completeIntermediate(
  dir: string,
  { files, path, problems }: FoundPki,
  { now, keyType }: Pick<CompleteOptions, 'now' | 'keyType'>,
): Promise<boolean> {
  const { root, intermediate } = files;
  const [signing, ...others] = intermediate.certificates;
  const owner = keyHolder(root);
  if (problems.length > 0 || root.keyPem === null || !owner) return false;
  const issuer = { certificate: owner.der, keyPem: root.keyPem, endsAt: owner.notAfter * 1000 };
  if (!signing) {
    const keyFile = join(dir, fileNames.intermediate.key);
    const key = intermediate.keyPem ?? (await createFile(keyFile, await createKey(keyType, 'ca')));
    const { createIntermediate } = await importCertificates();
    await replaceFile(join(dir, fileNames.intermediate.cert), await createIntermediate(issuer, key, now));
    return true;
  }
  const end = signing.notAfter * 1000;
  if (end - now > intermediateWindow || !path || !renewingRoot(root, path, now)) return false;
  const { renewCa } = await importCertificates();
  const pem = await renewCa(issuer, signing.der, now);
  if (endOf(pem) - end < leastGain) return false;
  await replaceFile(join(dir, fileNames.intermediate.cert), pem + pemOf(others.map(({ der }) => der)));
  return true;
}

/**
 * Issues the server certificate when it is missing, and issues that of the controller again when it expires soon, has
 * other names or cannot be used. Returns false when nothing had to be done, or when something is wrong with the CAs.
 */
export async function completeServer(
  dir: string,
  { files, path, problems, serverProblems }: FoundPki,
  { now, keyType, names }: CompleteOptions,
): Promise<boolean> {
  const [leaf] = files.server.certificates;
  const { keyPem } = files.intermediate;
  if (problems.length > 0 || !path?.[0] || keyPem === null || (leaf && !isOwnServer(leaf))) return false;
  const subject = names ?? (leaf && namesOf(leaf));
  if (!subject) return false;
  const end = leaf ? leaf.notAfter * 1000 : 0;
  const isDue = end - now < serverWindow;
  if (leaf && serverProblems.length === 0 && !isDue && hasNames(leaf, subject)) return false;
  const { createServer } = await importCertificates();
  const keyFile = join(dir, fileNames.server.key);
  const key = files.server.keyPem ?? (await createFile(keyFile, await createKey(keyType, 'server')));
  const issuer = { certificate: path[0].der, keyPem, endsAt: endOfPath(path) };
  const pem = await createServer(issuer, key, subject, now);
  const isBetter = serverProblems.length > 0 || endOf(pem) - end >= leastGain;
  if (leaf && !isBetter && hasNames(leaf, subject)) return false;
  await replaceFile(join(dir, fileNames.server.cert), pem);
  return true;
}

/** Milliseconds since 1970 when the first certificate of a path ends. */
export function endOfPath(path: readonly Certificate[]): number {
  return Math.min(...path.map(({ notAfter }) => notAfter)) * 1000;
}

function endOf(pem: string): number {
  return new X509Certificate(pem).validToDate.getTime();
}

function issuerOf(pem: string, keyPem: string): IssuingCa {
  const { raw } = new X509Certificate(pem);
  return { certificate: raw, keyPem, endsAt: endOf(pem) };
}
