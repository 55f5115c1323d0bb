import type { DistinguishedName } from './distinguished-name.ts';

/**
 * How a name of each form relates to a constraint (RFC 5280, section 4.2.1.10). A name whose syntax is wrong is `null`:
 * it lies in no subtree, and nobody can say outside of which.
 */

const label = /^(?!-)[\w-]{1,63}$/;
const maxHostLength = 253;

/** The host in lower case. Underscores are accepted, as in practice. */
export function readHost(text: string): string | null {
  const valid =
    text.length <= maxHostLength && text.split('.').every((part) => label.test(part) && !part.endsWith('-'));
  return valid ? text.toLowerCase() : null;
}

/** A host, which may begin with the label `*`. */
export function readDnsName(text: string): string | null {
  if (!text.startsWith('*.')) return readHost(text);
  const parent = readHost(text.slice(2));
  return parent === null ? null : `*.${parent}`;
}

/** Adding labels on the left stays in the subtree. An empty constraint contains all names. */
export function isDnsWithin(name: string, constraint: string): boolean {
  return constraint === '' || name === constraint || name.endsWith(`.${constraint}`);
}

/** True when a name is in the subtree, or is a wildcard that stands for such a name, too. */
export function mayDnsBeWithin(name: string, constraint: string): boolean {
  if (isDnsWithin(name, constraint)) return true;
  return name.startsWith('*.') && constraint.slice(constraint.indexOf('.') + 1) === name.slice(2);
}

export interface Mailbox {
  /** Case counts. */
  readonly local: string;
  readonly host: string;
}

/** A quoted local part is not understood: it may contain another `@`. */
export function readMailbox(text: string): Mailbox | null {
  const [local = '', domain = '', ...others] = text.split('@');
  const host = readHost(domain);
  if (others.length > 0 || host === null || !/^[^\s"\\<>()[\],;:]+$/.test(local)) return null;
  return { local, host };
}

/** A constraint on addresses or URIs: one mailbox, one host, all hosts below a domain, or everything (empty). */
export type HostConstraint =
  | { readonly kind: 'mailbox'; readonly mailbox: Mailbox }
  | { readonly kind: 'host' | 'domain'; readonly host: string }
  | { readonly kind: 'all' };

export function readHostConstraint(text: string): HostConstraint | null {
  if (text === '') return { kind: 'all' };
  const host = readHost(text.startsWith('.') ? text.slice(1) : text);
  return host === null ? null : { kind: text.startsWith('.') ? 'domain' : 'host', host };
}

export function readMailboxConstraint(text: string): HostConstraint | null {
  if (!text.includes('@')) return readHostConstraint(text);
  const mailbox = readMailbox(text);
  return mailbox && { kind: 'mailbox', mailbox };
}

export function isHostWithin(host: string, constraint: HostConstraint): boolean {
  if (constraint.kind === 'all') return true;
  if (constraint.kind === 'mailbox') return false;
  return constraint.kind === 'host' ? host === constraint.host : host.endsWith(`.${constraint.host}`);
}

export function isMailboxWithin(mailbox: Mailbox, constraint: HostConstraint): boolean {
  if (constraint.kind !== 'mailbox') return isHostWithin(mailbox.host, constraint);
  return mailbox.local === constraint.mailbox.local && mailbox.host === constraint.mailbox.host;
}

/** The host of an absolute URI (RFC 3986, section 3.2.2). An IP address is none: it cannot satisfy a constraint. */
export function readUriHost(text: string): string | null {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) return null;
  const [, host = ''] = /^(?:[^@]*@)?([^@:]*)(?::\d*)?$/.exec(authority) ?? [];
  const name = readHost(host);
  return name === null || /^[\d.]+$/.test(name) ? null : name;
}

/** An address and a mask, of 4 or 16 bytes each. The mask is a prefix (RFC 4632). */
export function isIpConstraint(value: Buffer): boolean {
  if (value.length !== 8 && value.length !== 32) return false;
  const mask = value.subarray(value.length / 2);
  const bits = [...mask].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return !bits.includes('01');
}

export function isIpWithin(address: Buffer, constraint: Buffer): boolean {
  const size = constraint.length / 2;
  if (address.length !== size) return false;
  return address.every((byte, index) => ((byte ^ (constraint[index] ?? 0)) & (constraint[size + index] ?? 0)) === 0);
}

/** The constraint is the beginning of the name. */
export function isDirectoryNameWithin(name: DistinguishedName, constraint: DistinguishedName): boolean {
  return constraint.rdns.every((rdn, index) => rdn === name.rdns[index]);
}
