import { BrokenRule } from './broken-rule.ts';
import type { Element } from './der.ts';
import { childrenOf, expectTag, NotDer, primitive, readOne, sequenceOf, tags } from './der.ts';
import { readCount, readNamedBits, readOid, readTrue } from './der-values.ts';
import type { GeneralName } from './general-name.ts';
import { readGeneralName, readGeneralNames } from './general-name.ts';
import type { NameConstraints } from './name-constraints.ts';
import { readNameConstraints } from './name-constraints.ts';

/** The extensions that path validation uses (RFC 5280, section 4.2). Those a certificate does not have are `undefined`. */
export interface CertificateExtensions {
  basicConstraints?: { readonly ca: boolean; readonly pathLength: number | null; readonly critical: boolean };
  /** The bits of `keyUsages`. */
  keyUsage?: number;
  /** Object identifiers. */
  extendedKeyUsages?: readonly string[];
  subjectAltNames?: { readonly names: readonly GeneralName[]; readonly critical: boolean };
  nameConstraints?: NameConstraints;
  /** Object identifiers. */
  policies?: ReadonlySet<string>;
  policyMappings?: readonly (readonly [issuer: string, subject: string])[];
  policyConstraints?: { readonly requireExplicit: number | null; readonly inhibitMapping: number | null };
  inhibitAnyPolicy?: number;
  /** In hex. */
  subjectKeyId?: string;
  /** In hex. */
  authorityKeyId?: string;
}

export const keyUsages = { digitalSignature: 1 << 0, keyCertSign: 1 << 5 } as const;
export const anyPolicy = '2.5.29.32.0';

interface Definition {
  /**
   * `never`: RFC 5280 forbids it. The RFC also requires that CAs make some extensions critical. That is not checked: these
   * extensions apply in any case.
   */
  readonly critical: 'never' | 'any';
  read(value: Buffer, critical: boolean): CertificateExtensions;
}

const definitions: Readonly<Record<string, Definition>> = {
  '2.5.29.14': { critical: 'never', read: (value) => ({ subjectKeyId: hex(readOne(value, tags.octetString)) }) },
  '2.5.29.15': { critical: 'any', read: (value) => ({ keyUsage: readNamedBits(readOne(value, tags.bitString)) }) },
  '2.5.29.17': { critical: 'any', read: readSubjectAltNames },
  '2.5.29.19': { critical: 'any', read: readBasicConstraints },
  '2.5.29.30': {
    critical: 'any',
    read: (value) => ({ nameConstraints: readNameConstraints(readOne(value, tags.sequence)) }),
  },
  '2.5.29.32': { critical: 'any', read: readPolicies },
  '2.5.29.33': { critical: 'any', read: readPolicyMappings },
  '2.5.29.35': { critical: 'never', read: readAuthorityKeyId },
  '2.5.29.36': { critical: 'any', read: readPolicyConstraints },
  '2.5.29.37': { critical: 'any', read: (value) => ({ extendedKeyUsages: someOf(value).map(readOidElement) }) },
  '2.5.29.54': {
    critical: 'any',
    read: (value) => ({ inhibitAnyPolicy: readCount(readOne(value, tags.integer)) }),
  },
  // Authority information access is only checked: it leads to nothing here.
  '1.3.6.1.5.5.7.1.1': { critical: 'never', read: readAccessDescriptions },
};

/**
 * Reads Extensions. An extension that is not in the table is ignored when it is not critical.
 *
 * @throws NotDer when it is no list of extensions
 * @throws BrokenRule for a rule that an extension breaks
 */
export function readExtensions(element: Element): CertificateExtensions {
  const extensions: CertificateExtensions = {};
  const seen = new Set<string>();
  const list = childrenOf(expectTag(element, tags.sequence));
  if (list.length === 0) throw new NotDer('no extensions');
  for (const entry of list) {
    const parts = sequenceOf(entry);
    const id = readOid(parts.next(tags.oid));
    const flag = parts.optional(tags.boolean);
    const critical = flag !== null && readTrue(flag);
    const value = parts.next(tags.octetString).content;
    parts.end();
    if (seen.has(id)) throw new BrokenRule('duplicate-extension', `two extensions ${id}`);
    seen.add(id);
    Object.assign(extensions, readExtension(id, critical, value));
  }
  return extensions;
}

function readExtension(id: string, critical: boolean, value: Buffer): CertificateExtensions {
  const definition = definitions[id];
  if (definition === undefined) {
    if (critical) throw new BrokenRule('unknown-critical-extension', `the critical extension ${id} is not supported`);
    return {};
  }
  if (critical && definition.critical === 'never') {
    throw new BrokenRule('extension-criticality', `the extension ${id} is critical`);
  }
  try {
    return definition.read(value, critical);
  } catch (error) {
    if (!(error instanceof NotDer)) throw error;
    throw new BrokenRule('malformed-extension', `the extension ${id}: ${error.message}`);
  }
}

const hex = ({ content }: Element) => content.toString('hex');
const readOidElement = (element: Element) => readOid(expectTag(element, tags.oid));

/** The elements of a SEQUENCE of one or more. */
function someOf(value: Buffer): Element[] {
  const elements = childrenOf(readOne(value, tags.sequence));
  if (elements.length === 0) throw new NotDer('an empty list');
  return elements;
}

function readSubjectAltNames(value: Buffer, critical: boolean): CertificateExtensions {
  const names = readGeneralNames(readOne(value, tags.sequence));
  for (const name of names) {
    if (name.form === 'ip' && name.value.length !== 4 && name.value.length !== 16) throw new NotDer('no IP address');
    if (name.value === '') throw new NotDer('an empty name');
  }
  return { subjectAltNames: { names, critical } };
}

function readBasicConstraints(value: Buffer, critical: boolean): CertificateExtensions {
  const parts = sequenceOf(readOne(value, tags.sequence));
  const flag = parts.optional(tags.boolean);
  const ca = flag !== null && readTrue(flag);
  const length = parts.optional(tags.integer);
  parts.end();
  if (length !== null && !ca) throw new NotDer('a path length without CA:TRUE');
  return { basicConstraints: { ca, pathLength: length && readCount(length), critical } };
}

function readPolicies(value: Buffer, critical: boolean): CertificateExtensions {
  const policies = new Set<string>();
  for (const element of someOf(value)) {
    const parts = sequenceOf(element);
    const id = readOid(parts.next(tags.oid));
    const qualifiers = parts.optional(tags.sequence);
    parts.end();
    if (policies.has(id)) throw new NotDer('a policy twice');
    policies.add(id);
    if (qualifiers !== null) checkQualifiers(qualifiers, critical);
  }
  return { policies };
}

/** Qualifiers are texts for people. A critical extension may only have the two kinds that RFC 5280 defines. */
function checkQualifiers(qualifiers: Element, critical: boolean): void {
  const list = childrenOf(qualifiers).map((qualifier) => readOid(sequenceOf(qualifier).next(tags.oid)));
  if (list.length === 0) throw new NotDer('no qualifiers');
  const unknown = list.find((id) => id !== '1.3.6.1.5.5.7.2.1' && id !== '1.3.6.1.5.5.7.2.2');
  if (critical && unknown !== undefined) {
    throw new BrokenRule('unknown-critical-extension', `a critical policy with a qualifier ${unknown}`);
  }
}

function readPolicyMappings(value: Buffer): CertificateExtensions {
  const policyMappings = someOf(value).map((element) => {
    const parts = sequenceOf(element);
    const mapping = [readOid(parts.next(tags.oid)), readOid(parts.next(tags.oid))] as const;
    parts.end();
    if (mapping.includes(anyPolicy)) throw new NotDer('a mapping of anyPolicy');
    return mapping;
  });
  return { policyMappings };
}

function readPolicyConstraints(value: Buffer): CertificateExtensions {
  const parts = sequenceOf(readOne(value, tags.sequence));
  const require = parts.optional(primitive(0));
  const inhibit = parts.optional(primitive(1));
  parts.end();
  if (require === null && inhibit === null) throw new NotDer('no constraint');
  const policyConstraints = {
    requireExplicit: require && readCount(require),
    inhibitMapping: inhibit && readCount(inhibit),
  };
  return { policyConstraints };
}

function readAuthorityKeyId(value: Buffer): CertificateExtensions {
  const [first] = childrenOf(readOne(value, tags.sequence));
  return first?.tag === primitive(0) ? { authorityKeyId: hex(first) } : {};
}

function readAccessDescriptions(value: Buffer): CertificateExtensions {
  for (const element of someOf(value)) {
    const [method, location, ...others] = childrenOf(expectTag(element, tags.sequence));
    if (location === undefined || others.length > 0) throw new NotDer('no access description');
    readOid(expectTag(method, tags.oid));
    readGeneralName(location);
  }
  return {};
}
