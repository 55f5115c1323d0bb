import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileProblem } from '../lib/file-problem.ts';
import type { StartProblem } from '../lib/start-error.ts';
import { StartError } from '../lib/start-error.ts';
import type { IssuedCertificate } from './certificates.ts';

export const fileNames = {
  root: { cert: 'ca.pem', key: 'root.key' },
  intermediate: { cert: 'intermediate.pem', key: 'intermediate.key' },
  server: { cert: 'server.pem', key: 'server.key' },
} as const;

type Role = keyof typeof fileNames;
type PkiFiles = Readonly<Record<Role, IssuedCertificate>>;
const roles = ['root', 'intermediate', 'server'] as const satisfies readonly Role[];

/**
 * Reads and checks the files of a PKI. Returns `null` when the directory has none of them.
 *
 * @param now milliseconds since 1970
 * @throws StartError with all problems
 */
export async function readPkiFiles(dir: string, now: number): Promise<PkiFiles | null> {
  const problems: StartProblem[] = [];
  const missing: string[] = [];
  const read = async (name: string): Promise<string | null> => {
    try {
      return await readFile(join(dir, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') missing.push(name);
      else {
        const problem = fileProblem(join(dir, name), error);
        if (!problem) throw error;
        problems.push(problem);
      }
      return null;
    }
  };
  const readPair = async (role: Role) => {
    const { cert, key } = fileNames[role];
    return { cert: await read(cert), key: await read(key) };
  };
  const [root, intermediate, server] = [
    await readPair('root'),
    await readPair('intermediate'),
    await readPair('server'),
  ];
  if (missing.length === 6) return null;
  if (missing.length > 0) problems.push(wrong(`the PKI in ${dir} is incomplete: ${missing.join(', ')} missing`));
  const files = { root, intermediate, server };
  problems.push(...problemsOf(dir, files, now));
  if (problems.length > 0 || !isComplete(files)) throw new StartError(problems);
  return files;
}

/** `null`: the file could not be read. */
type ReadFiles = Readonly<Record<Role, { readonly cert: string | null; readonly key: string | null }>>;

function isComplete(files: ReadFiles): files is PkiFiles {
  return Object.values(files).every(({ cert, key }) => cert !== null && key !== null);
}

function problemsOf(dir: string, files: ReadFiles, now: number): StartProblem[] {
  const problems: StartProblem[] = [];
  const parse = <T>(name: string, text: string | null, parseText: (text: string) => T): T | null => {
    try {
      return text === null ? null : parseText(text);
    } catch {
      problems.push(wrong(`${join(dir, name)} is damaged: it cannot be parsed`));
      return null;
    }
  };
  const certificates = new Map<Role, X509Certificate>();
  for (const role of roles) {
    const names = fileNames[role];
    const certificate = parse(names.cert, files[role].cert, (text) => new X509Certificate(text));
    const key = parse(names.key, files[role].key, createPrivateKey);
    if (certificate) certificates.set(role, certificate);
    if (certificate && key && !certificate.checkPrivateKey(key)) {
      problems.push(wrong(`${join(dir, names.key)} is not the key of ${names.cert}`));
    }
    // The server certificate is renewed before it expires.
    if (certificate && role !== 'server' && certificate.validToDate.getTime() <= now) {
      problems.push(wrong(`${join(dir, names.cert)} has expired: ${certificate.validTo}`));
    }
  }
  const [root, intermediate] = [certificates.get('root'), certificates.get('intermediate')];
  if (root && intermediate && !intermediate.verify(root.publicKey)) {
    problems.push(wrong(`${join(dir, fileNames.intermediate.cert)} was not issued by ${fileNames.root.cert}`));
  }
  return problems;
}

function wrong(message: string): StartProblem {
  const renew = 'Or remove the whole directory: the controller then creates a new PKI, and clients must trust its root';
  return { message, setting: 'dataDir', fix: `restore the files of the PKI from a backup. ${renew}`, kind: 'wrong' };
}
