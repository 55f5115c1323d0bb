import { subjectAltNames } from './certificate-extensions.ts';
import type { KeyPair } from './certificate-writer.ts';
import { der, newKeys, oid, sequence } from './certificate-writer.ts';
import { writeCsr } from './csr.ts';

/** The attribute of a CSR that requests these extensions. */
export function extensionRequest(...extensions: readonly Buffer[]): Buffer {
  return sequence(oid('1.2.840.113549.1.9.14'), der(0x31, sequence(...extensions)));
}

interface RouterCsr {
  readonly keys?: KeyPair;
  /** Subject alternative names. */
  readonly names?: readonly Buffer[];
}

/** A CSR of a router in PEM. */
export function routerCsr(subject: string | Buffer, { keys = newKeys(), names = [] }: RouterCsr = {}): string {
  return writeCsr(subject, { keys, attributes: names.length > 0 ? [extensionRequest(subjectAltNames(names))] : [] });
}

/** The body with which a router redeems its enrollment: two CSRs with one key. */
export function routerCsrs(id: string, { keys = newKeys(), names = [] }: RouterCsr = {}) {
  const csr = routerCsr(id, { keys, names });
  return { certCsr: csr, serverCertCsr: csr };
}
