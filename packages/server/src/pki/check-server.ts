import { X509Certificate } from 'node:crypto';
import type { Certificate } from '@edge-controller/certificate-path';
import { extendedKeyUsages, verifyChain } from '@edge-controller/certificate-path';
import ipaddr from 'ipaddr.js';
import type { PkiFiles, Report } from './read-pki-files.ts';
import { fileNames } from './read-pki-files.ts';

/** The subject of the server certificates that the controller issues. It issues them again; it never touches others. */
export const serverSubject = 'CN=Edge Controller';

interface ServerOptions {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** A name that a certificate of somebody else must have. */
  readonly host: string | null;
}

/** True for a certificate that the controller has issued for itself. */
export function isOwnServer({ der }: Certificate): boolean {
  return new X509Certificate(der).subject === serverSubject;
}

/** Returns the DER from the server certificate to the root, or reports why it cannot be used. */
export function checkServer(files: PkiFiles, { at, host }: ServerOptions, report: Report): readonly Buffer[] {
  const { server, intermediate, root } = files;
  const [first, ...others] = server.certificates;
  if (!first) return [];
  const file = fileNames.server.cert;
  const certificate = new X509Certificate(first.der);
  if (!isOwnServer(first) && host !== null && !isFor(certificate, host)) {
    report(file, `is not valid for ${host}, the host of edge.api.address`);
  }
  const verified = verifyChain({
    leaf: first.der,
    bag: [...others, ...intermediate.certificates].map(({ der }) => der),
    anchors: root.certificates.map(({ der }) => der),
    at,
    requiredExtendedKeyUsage: extendedKeyUsages.serverAuth,
  });
  if (!verified.valid) {
    const state = verified.rule === 'expired' ? 'has expired' : 'cannot be used';
    report(file, `${state}: ${verified.message} (${verified.subject})`);
    return [];
  }
  return verified.path;
}

/** The host names and addresses of the controller in the form in which certificates have them, each once. */
export function canonicalNames(names: readonly string[]): string[] {
  const canonical = names.map((name) => (ipaddr.isValid(name) ? ipaddr.parse(name).toString() : name.toLowerCase()));
  return [...new Set(canonical)];
}

/** The host names and addresses of a certificate, in the same form. */
export function namesOf({ extensions }: Certificate): string[] {
  const names = (extensions.subjectAltNames?.names ?? []).flatMap(({ form, value }) => {
    if (form === 'dns') return value;
    return form === 'ip' ? ipaddr.fromByteArray([...value]).toString() : [];
  });
  return canonicalNames(names);
}

/** True when a certificate has exactly these names. */
export function hasNames(certificate: Certificate, names: readonly string[]): boolean {
  return namesOf(certificate).join() === names.join();
}

/** Whether clients accept the certificate for a host name or an address. */
export function isFor(certificate: X509Certificate, host: string): boolean {
  return (ipaddr.isValid(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}
