import { X509Certificate } from 'node:crypto';
import { checkServerIdentity } from 'node:tls';
import type { GeneralName } from '@edge-controller/certificate-path';
import { readDnsName, readMailbox } from '@edge-controller/certificate-path';
import ipaddr from 'ipaddr.js';
import { isLocal } from '../core/text/local-host.ts';
import { canonicalNames } from './check-server.ts';
import { refused } from './read-csr.ts';

/** A name as a certificate gets it. */
export interface AlternativeName {
  readonly type: 'dns' | 'ip' | 'email' | 'url';
  readonly value: string;
}

/** The names that a CSR of a router requests. */
interface RequestedNames {
  readonly commonNames: readonly string[];
  readonly alternativeNames: readonly GeneralName[];
}

/**
 * Returns the names for a certificate of a router. With the names of the controller, a router could pass for it. The names of
 * the own machine are free, because a router may run beside the controller.
 *
 * @param own host names and addresses of the controller
 * @throws ApiError `COULD_NOT_PROCESS_CSR` for a name that routers cannot have
 */
export function routerNames(
  { commonNames, alternativeNames }: RequestedNames,
  own: readonly string[],
): readonly AlternativeName[] {
  const reserved = canonicalNames(own).filter((name) => !isLocal(name));
  const names = alternativeNames.map(readAlternativeName);
  const hosts = names.filter(({ type }) => type === 'dns' || type === 'ip').map(({ value }) => value);
  for (const host of canonicalNames([...hosts, ...commonNames])) {
    if (reserved.some((name) => covers(host, name))) throw refused(`the name ${host} belongs to the controller`);
  }
  return names;
}

/**
 * Asks what clients ask. Without alternative names they take the common name, in every type of text, and with a wildcard in the
 * middle of a label.
 *
 * @param own host names and addresses of the controller
 * @throws ApiError `COULD_NOT_PROCESS_CSR` when a client would take the certificate for that of the controller
 */
export function refuseOwnNames(pem: string, own: readonly string[]): void {
  const certificate = new X509Certificate(pem);
  const shown = certificate.toLegacyObject();
  for (const name of canonicalNames(own).filter((host) => !isLocal(host))) {
    const isTaken = checkServerIdentity(name, shown) === undefined || certificate.checkHost(name) !== undefined;
    if (isTaken) throw refused(`the name ${name} belongs to the controller`);
  }
}

function readAlternativeName(name: GeneralName): AlternativeName {
  const { form, value } = name;
  // Clients take an address of version 4 in the form of version 6 for the same one.
  if (form === 'ip')
    return { type: 'ip', value: ipaddr.process(ipaddr.fromByteArray([...value]).toString()).toString() };
  if (form === 'dns' && readDnsName(value) !== null) return { type: 'dns', value };
  if (form === 'email' && readMailbox(value) !== null) return { type: 'email', value };
  // SPIFFE ids name identities and API sessions.
  if (form === 'uri' && URL.canParse(value) && new URL(value).protocol !== 'spiffe:') return { type: 'url', value };
  throw refused(`a router cannot have the name ${typeof value === 'string' ? value : form}`);
}

/** A wildcard stands for one label. */
function covers(host: string, name: string): boolean {
  return host === name || (host.startsWith('*.') && host.slice(1) === name.slice(name.indexOf('.')));
}
