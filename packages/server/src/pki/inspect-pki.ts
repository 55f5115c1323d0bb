import { join } from 'node:path';
import type { Certificate } from '@edge-controller/certificate-path';
import type { StartProblem } from '../core/start/start-error.ts';
import { checkAuthority, checkTrustDomain, keyHolder } from './check-authority.ts';
import { checkServer } from './check-server.ts';
import type { PkiFiles } from './read-pki-files.ts';
import { fileNames, readPkiFiles } from './read-pki-files.ts';
import { defaultTrustDomain } from './trust-domain.ts';

/** What is in the directory, and what is wrong with it. */
export interface FoundPki {
  readonly files: PkiFiles;
  /** From the intermediate that signs to its root; `null` when there is none yet. */
  readonly path: readonly Certificate[] | null;
  /** DER of the server certificate and its issuers up to the root. Empty: it must be issued. */
  readonly serverPath: readonly Buffer[];
  /** Problems of the CAs and of all keys. */
  readonly problems: readonly StartProblem[];
  readonly serverProblems: readonly StartProblem[];
  readonly trustDomain: string;
}

/** Milliseconds that the clock of the machine may have gone back. */
const clockTolerance = 86_400_000;

interface InspectOptions {
  readonly dir: string;
  /** A name that a server certificate of the operator must have. */
  readonly host: string | null;
  readonly trustDomain: string | null;
}

/**
 * Reads the files of a PKI, and checks them alone and together.
 *
 * @param now milliseconds since 1970
 * @throws StartError when a file exists and cannot be read
 */
export async function inspectPki(options: InspectOptions, now: number): Promise<FoundPki> {
  const { dir, host } = options;
  const problems: StartProblem[] = [];
  const serverProblems: StartProblem[] = [];
  const reportTo = (list: StartProblem[]) => (file: string, message: string) => {
    list.push(problemOf(`${join(dir, file)} ${message}`));
  };
  const report = reportTo(problems);
  const files = await readPkiFiles(dir, report);
  const at = timeOfChecks(files, now);
  const path = checkAuthority(files, at, report);
  const [leaf] = files.server.certificates;
  const issuer = files.intermediate.certificates.length === 0 ? keyHolder(files.root) : null;
  const authority = path ?? (issuer ? [issuer] : []);
  const root = authority.at(-1);
  const trustDomain =
    options.trustDomain ?? (root ? defaultTrustDomain([...(leaf ? [leaf] : []), ...authority], root) : '');
  if (root) checkTrustDomain(authority, trustDomain, report);
  const missing = missingOf(files);
  if (missing.length > 0) problems.push(problemOf(`the PKI in ${dir} is incomplete: ${missing.join(', ')} missing`));
  const serverPath = path ? checkServer(files, { at, host }, reportTo(serverProblems)) : [];
  return { files, path, serverPath, problems, serverProblems, trustDomain };
}

/**
 * The present, or the latest `notBefore` of the files when it is later. The clock of the machine may have been ahead when the
 * files were made. The controller must start then: a wrong clock harms only sign-ins with certificates.
 */
function timeOfChecks({ root, intermediate, server }: PkiFiles, now: number): number {
  const begins = [root, intermediate, server].flatMap(({ certificates }) =>
    certificates.map(({ notBefore }) => notBefore * 1000),
  );
  return Math.max(now, ...begins.filter((begin) => begin < now + clockTolerance));
}

/** The missing files that nothing in the directory can replace. */
function missingOf({ root, intermediate, server, missing }: PkiFiles): string[] {
  const needed = new Set<string>([fileNames.root.cert]);
  if (root.keyPem === null) needed.add(fileNames.intermediate.cert);
  if (root.keyPem === null || intermediate.certificates.length > 0) needed.add(fileNames.intermediate.key);
  if (server.certificates.length > 0) needed.add(fileNames.server.key);
  return missing.filter((name) => needed.has(name));
}

/** A file that is not right, and what to do. */
export function problemOf(message: string): StartProblem {
  const fix =
    'replace the file, or restore the PKI from a backup. Or remove the whole directory: the controller then creates a new PKI, and clients must trust its root';
  return { message, setting: 'dataDir', fix, kind: 'wrong' };
}
