import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from '@edge-controller/certificate-path';
import { isOwnServer } from '../../../pki/check-server.ts';
import { inspectPki } from '../../../pki/inspect-pki.ts';
import { fileNames } from '../../../pki/read-pki-files.ts';
import type { DoctorCheck, DoctorFinding } from '../finding.ts';
import { problemsOf, warning, wrong } from '../finding.ts';

const day = 86_400_000;
const warningWindow = 90 * day;

/** Dates, chains, names and keys of the PKI. What the next start issues by itself is no finding. */
export const certificates: DoctorCheck = async ({ settings, dataDir, clock }) => {
  const dir = join(dataDir, 'pki');
  if (!(await stat(dir).catch(() => null))) return [];
  const { address, trustDomain } = settings;
  const host = address === null ? null : new URL(`https://${address}`).hostname.replace(/^\[|\]$/g, '');
  try {
    const found = await inspectPki({ dir, host, trustDomain }, clock());
    const [server] = found.files.server.certificates;
    const ofServer = server && isOwnServer(server) ? [] : found.serverProblems;
    const problems = [...found.problems, ...ofServer];
    if (problems.length > 0) return problems.map(({ message, fix }) => wrong(message, 'dataDir', fix));
    return [...expiring(dir, found.path ?? [], clock()), ...expiringServer(dir, server, clock())];
  } catch (error) {
    return problemsOf(error, 'dataDir');
  }
};

function expiring(dir: string, path: readonly Certificate[], now: number): readonly DoctorFinding[] {
  return path.flatMap((certificate, at) => {
    const file = at === path.length - 1 ? fileNames.root.cert : fileNames.intermediate.cert;
    return soon(join(dir, file), certificate, now);
  });
}

/** The controller renews its own. */
function expiringServer(dir: string, server: Certificate | undefined, now: number): readonly DoctorFinding[] {
  return server && !isOwnServer(server) ? soon(join(dir, fileNames.server.cert), server, now) : [];
}

function soon(file: string, { notAfter, subject }: Certificate, now: number): readonly DoctorFinding[] {
  const left = notAfter * 1_000 - now;
  if (left > warningWindow) return [];
  const days = Math.floor(left / day);
  const fix = 'replace the certificate; docs/operations.md says how to replace a root';
  return [warning(`${file} expires in ${days} days (${subject.text})`, 'dataDir', fix)];
}
