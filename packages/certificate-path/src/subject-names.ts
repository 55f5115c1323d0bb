import { BrokenRule } from './broken-rule.ts';
import { readCertificate } from './certificate.ts';

/** Names of the subject of a certificate, as they were written. Only those of a leaf whose chain is valid mean something. */
export interface SubjectNames {
  /** Those in the subject, from the root of the directory: the last one is the most specific. */
  readonly commonNames: readonly string[];
  /** Addresses in subjectAltName. Those in the subject are not among them. */
  readonly emails: readonly string[];
  /** URIs in subjectAltName: ASCII without control characters, and not checked any further. */
  readonly uris: readonly string[];
}

/** Reads the names of a certificate. Returns `null` when `verifyChain` would refuse it as malformed. */
export function readSubjectNames(der: Buffer): SubjectNames | null {
  try {
    const { flaw, subject, extensions } = readCertificate(der);
    if (flaw) return null;
    const names = extensions.subjectAltNames?.names ?? [];
    return {
      commonNames: subject.commonNames,
      emails: names.flatMap((name) => (name.form === 'email' ? [name.value] : [])),
      uris: names.flatMap((name) => (name.form === 'uri' ? [name.value] : [])),
    };
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    return null;
  }
}
