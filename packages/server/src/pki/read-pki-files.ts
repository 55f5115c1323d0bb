import type { KeyObject } from 'node:crypto';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from '@edge-controller/certificate-path';
import { BrokenRule, readCertificate } from '@edge-controller/certificate-path';
import { fileProblem } from '../core/start/file-problem.ts';
import type { StartProblem } from '../core/start/start-error.ts';
import { StartError } from '../core/start/start-error.ts';
import { certificatesOf } from './pem.ts';
import { canSign } from './signing-key.ts';

export const fileNames = {
  root: { cert: 'ca.pem', key: 'root.key' },
  intermediate: { cert: 'intermediate.pem', key: 'intermediate.key' },
  server: { cert: 'server.pem', key: 'server.key' },
} as const;

type Role = keyof typeof fileNames;

/** A file with certificates and the file with the key of one of them. */
export interface PkiPart {
  /** In the order of the file. Empty when the file does not exist. */
  readonly certificates: readonly Certificate[];
  /** PEM. `null` when the file does not exist or cannot be used. */
  readonly keyPem: string | null;
}

export interface PkiFiles extends Readonly<Record<Role, PkiPart>> {
  readonly missing: readonly string[];
}

/** Adds the problem of a file, with its name in front of the message. */
export type Report = (file: string, message: string) => void;

/**
 * Reads the files of a PKI and checks each of them by itself: what it has can be parsed, its certificates are strong, its
 * key is not encrypted, and belongs to one of them.
 *
 * @throws StartError when a file exists and cannot be read
 */
export async function readPkiFiles(dir: string, report: Report): Promise<PkiFiles> {
  const unreadable: StartProblem[] = [];
  const missing: string[] = [];
  const read = async (name: string): Promise<string | null> => {
    try {
      return await readFile(join(dir, name), 'utf8');
    } catch (error) {
      const problem = fileProblem(join(dir, name), error);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') missing.push(name);
      else if (problem) unreadable.push(problem);
      else throw error;
      return null;
    }
  };
  const readPart = async (role: Role): Promise<PkiPart> => {
    const names = fileNames[role];
    const [cert, pem] = [await read(names.cert), await read(names.key)];
    const certificates = cert === null ? [] : parseCertificates(names.cert, cert, report);
    // Former roots may stand beside the one that signs. Elsewhere the first certificate has the key.
    const owners = role === 'root' ? certificates : certificates.slice(0, 1);
    const usable = pem !== null && checkKey({ file: names.key, pem, owners, ownerFile: names.cert }, report);
    return { certificates, keyPem: usable ? pem : null };
  };
  const [root, intermediate, server] = [
    await readPart('root'),
    await readPart('intermediate'),
    await readPart('server'),
  ];
  if (unreadable.length > 0) throw new StartError(unreadable);
  return { root, intermediate, server, missing };
}

function parseCertificates(file: string, text: string, report: Report): Certificate[] {
  const found = certificatesOf(text);
  if (found.length === 0) report(file, 'is damaged: it has no certificate in PEM');
  return found.flatMap((der) => {
    try {
      const certificate = readCertificate(der);
      if (certificate.flaw) throw certificate.flaw;
      return certificate;
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error;
      const subject = error.rule === 'malformed' ? '' : ` (${readCertificate(der).subject.text})`;
      report(file, `is damaged or too weak: ${error.message}${subject}`);
      return [];
    }
  });
}

interface KeyFile {
  readonly file: string;
  readonly pem: string;
  /** Certificates, one of which must have the key, and their file. */
  readonly owners: readonly Certificate[];
  readonly ownerFile: string;
}

function checkKey({ file, pem, owners, ownerFile }: KeyFile, report: Report): boolean {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    const encrypted = pem.includes('ENCRYPTED');
    report(file, encrypted ? 'is encrypted: save the key without a passphrase' : 'is damaged: it has no private key');
    return false;
  }
  if (!canSign(key)) {
    report(file, 'has a key that is neither RSA nor P-256, P-384 or P-521');
    return false;
  }
  const belongs = owners.length === 0 || owners.some(({ der }) => new X509Certificate(der).checkPrivateKey(key));
  if (!belongs) report(file, `is not the key of ${ownerFile}`);
  return belongs;
}
