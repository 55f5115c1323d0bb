import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Certificate } from '@edge-controller/certificate-path';
import {
  BrokenRule,
  checkDates,
  checkIssuer,
  checkNames,
  checkPurpose,
  extendedKeyUsages,
  isSignedBy,
} from '@edge-controller/certificate-path';
import type { PkiFiles, PkiPart, Report } from './read-pki-files.ts';
import { fileNames } from './read-pki-files.ts';

/** Certificates between the one that signs and its root. */
const maxDepth = 7;
const day = 86_400_000;

/**
 * Returns the CA certificates from the one that signs (the first of `intermediate.pem`) to its root, or `null` when there
 * are none. Reports why they cannot issue client certificates for the network.
 *
 * @param at milliseconds since 1970
 */
export function checkAuthority(
  { root, intermediate }: PkiFiles,
  at: number,
  report: Report,
): readonly Certificate[] | null {
  const [signing] = intermediate.certificates;
  if (!signing) {
    // Nothing may be issued below a root that cannot be used: the files would outlive its replacement.
    const issuer = keyHolder(root);
    if (issuer) checkCa(issuer, 1, at, report, fileNames.root.cert);
    return null;
  }
  const file = fileNames.intermediate.cert;
  if (root.certificates.some(({ der }) => der.equals(signing.der))) {
    report(file, 'has the root: an intermediate below it must sign');
    return null;
  }
  const path = findPath(signing, intermediate.certificates, root.certificates);
  if (!path) {
    const where = `${fileNames.root.cert}, nor by another certificate in ${file} that leads to it`;
    const weak = intermediate.certificates.filter(({ algorithm }) => algorithm === null);
    for (const { subject } of weak) report(file, `has a signature that is weak or not supported (${subject.text})`);
    if (root.certificates.length > 0 && weak.length === 0) {
      report(file, `was not issued by ${where} (${signing.subject.text})`);
    }
    for (const certificate of intermediate.certificates) checkCa(certificate, 0, at, report, file);
    for (const certificate of root.certificates) checkCa(certificate, 0, at, report, fileNames.root.cert);
    return null;
  }
  path.forEach((certificate, below) => {
    const isRoot = below === path.length - 1;
    // One that has expired while no controller ran is renewed.
    const dates = below === 0 && renewingRoot(root, path, at) ? certificate.notAfter * 1000 : at;
    checkCa(certificate, below, Math.min(at, dates), report, isRoot ? fileNames.root.cert : file);
  });
  return path;
}

/** The root that can issue the intermediate of a path again: its key is there, and it is valid for a day at least. */
export function renewingRoot(
  { keyPem }: PkiFiles['root'],
  [, root, ...others]: readonly Certificate[],
  at: number,
): Certificate | null {
  if (!root || others.length > 0 || root.notAfter * 1000 - at < day) return null;
  return keyHolder({ keyPem, certificates: [root] });
}

/** The certificate to which the key belongs; `null` without a key. */
export function keyHolder({ keyPem, certificates }: PkiPart): Certificate | null {
  if (keyPem === null) return null;
  const key = createPrivateKey(keyPem);
  return certificates.find(({ der }) => new X509Certificate(der).checkPrivateKey(key)) ?? null;
}

/**
 * Reports when name constraints forbid the URI of the network in client certificates. `path` is the root alone when the
 * intermediate will be issued.
 */
export function checkTrustDomain(path: readonly Certificate[], trustDomain: string, report: Report): void {
  const uri = { form: 'uri', value: `spiffe://${trustDomain}/identity/` } as const;
  const layers = path.flatMap(({ extensions }) => extensions.nameConstraints ?? []);
  attempt(
    () => checkNames([uri], layers, () => undefined),
    ({ message }) => {
      const { cert } = path.length === 1 ? fileNames.root : fileNames.intermediate;
      report(cert, `cannot issue client certificates: ${message}`);
    },
  );
}

function findPath(
  signing: Certificate,
  intermediates: readonly Certificate[],
  roots: readonly Certificate[],
): readonly Certificate[] | null {
  const path = [signing];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    const child = path.at(-1) ?? signing;
    const root = roots.find((issuer) => isIssuedBy(child, issuer));
    if (root) return [...path, root];
    const parent = intermediates.find((issuer) => !path.includes(issuer) && isIssuedBy(child, issuer));
    if (!parent) return null;
    path.push(parent);
  }
  return null;
}

function isIssuedBy(child: Certificate, { subject, key }: Certificate): boolean {
  const { algorithm, tbs, signature } = child;
  if (child.issuer.key !== subject.key || key === null || algorithm === null) return false;
  try {
    return isSignedBy(key, { algorithm, tbs, signature });
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    return false;
  }
}

/** `below`: the number of CAs between this one and a client certificate. */
function checkCa(certificate: Certificate, below: number, at: number, report: Report, file: string): void {
  const subject = certificate.subject.text;
  attempt(
    () => {
      checkIssuer(certificate);
      checkDates(certificate, Math.floor(at / 1000));
    },
    ({ rule, message }) => {
      const state = rule === 'expired' ? 'has expired' : 'cannot be used';
      report(file, `${state}: ${message} (${subject})`);
    },
  );
  attempt(
    () => checkPurpose(certificate, extendedKeyUsages.clientAuth),
    ({ message }) => report(file, `cannot issue client certificates: ${message} (${subject})`),
  );
  const { pathLength } = certificate.extensions.basicConstraints ?? {};
  if (typeof pathLength === 'number' && pathLength < below) {
    report(file, `cannot be used: its path length of ${pathLength} allows too few CAs below it (${subject})`);
  }
}

function attempt(check: () => void, failed: (broken: BrokenRule) => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    failed(error);
  }
}
