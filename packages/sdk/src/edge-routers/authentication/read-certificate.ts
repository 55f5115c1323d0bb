import { X509Certificate } from 'node:crypto';
import { readChildren, readDer, toHex } from '../../enrollment/der.ts';

/** A certificate with what Node does not show of it. */
export interface ReadCertificate {
  readonly certificate: X509Certificate;
  /** The object identifier of its signature, in hex. */
  readonly signatureAlgorithm: string;
  /** CAs that may stand below it. `undefined`: any number, or it is no CA. */
  readonly pathLength: number | undefined;
  /** Whether its key may sign what is no certificate. */
  readonly signsData: boolean;
  /** Object identifiers in hex. `undefined`: any use. */
  readonly extendedKeyUsages: readonly string[] | undefined;
  /** The URIs among its alternative names. */
  readonly uris: readonly string[];
  /** Object identifiers in hex of extensions that must be understood, and are not. */
  readonly notUnderstood: readonly string[];
}

type Value = ReturnType<typeof readDer>;

/** Object identifiers (RFC 5280, section 4.2.1). */
const ids = {
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  extendedKeyUsage: '551d25',
} as const;
const understood: readonly string[] = [
  ...[ids.keyUsage, ids.subjectAltName, ids.basicConstraints, ids.extendedKeyUsage],
  // Certificate policies: all are good.
  '551d20',
];
const [uri, boolean, integer, extensionsTag] = [0x86, 0x01, 0x02, 0xa3];
const digitalSignature = 0x80;

/**
 * Reads a certificate in DER.
 *
 * @throws Error when it is none
 */
export function readCertificate(der: Buffer): ReadCertificate {
  const certificate = new X509Certificate(der);
  const { raw } = certificate;
  if (!raw.equals(der)) throw new TypeError('there is more than a certificate');
  const [signed = missing(), algorithm = missing()] = readChildren(raw, readDer(raw, 0));
  const extensions = extensionsOf(raw, signed);
  const found = (id: string) => extensions.get(id)?.value;
  const [usage, alternative, extended] = [ids.keyUsage, ids.subjectAltName, ids.extendedKeyUsage].map(found);
  return {
    certificate,
    signatureAlgorithm: toHex(contentOf(raw, readChildren(raw, algorithm)[0] ?? missing())),
    pathLength: pathLengthOf(raw, found(ids.basicConstraints)),
    // The content of a BIT STRING begins with the number of its unused bits.
    signsData: usage === undefined || ((contentOf(raw, usage)[1] ?? 0) & digitalSignature) !== 0,
    extendedKeyUsages: extended && readChildren(raw, extended).map((one) => toHex(contentOf(raw, one))),
    uris: alternative ? readChildren(raw, alternative).flatMap((name) => uriOf(raw, name)) : [],
    notUnderstood: [...extensions]
      .filter(([id, { isCritical }]) => id === ids.nameConstraints || (isCritical && !understood.includes(id)))
      .map(([id]) => id),
  };
}

/** DER of the certificates in a PEM text. */
export function certificatesIn(pem: string): Buffer[] {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g);
  return [...blocks].map(([, base64 = '']) => Buffer.from(base64, 'base64'));
}

function extensionsOf(raw: Buffer, signed: Value) {
  const found = new Map<string, { readonly isCritical: boolean; readonly value: Value }>();
  const wrapper = readChildren(raw, signed).find(({ tag }) => tag === extensionsTag);
  const [list] = wrapper ? readChildren(raw, wrapper) : [];
  for (const extension of list ? readChildren(raw, list) : []) {
    const [id = missing(), ...rest] = readChildren(raw, extension);
    const key = toHex(contentOf(raw, id));
    if (found.has(key)) throw new TypeError('an extension occurs twice');
    const { start } = rest.at(-1) ?? missing();
    const isCritical = rest[0]?.tag === boolean && contentOf(raw, rest[0])[0] !== 0;
    found.set(key, { isCritical, value: readDer(raw, start) });
  }
  return found;
}

function pathLengthOf(raw: Buffer, constraints: Value | undefined): number | undefined {
  const length = constraints && readChildren(raw, constraints).find(({ tag }) => tag === integer);
  return length && contentOf(raw, length).reduce((value, byte) => value * 256 + byte, 0);
}

function uriOf(raw: Buffer, name: Value): string[] {
  return name.tag === uri ? [contentOf(raw, name).toString('latin1')] : [];
}

function contentOf(raw: Buffer, { start, end }: Value): Buffer {
  return raw.subarray(start, end);
}

function missing(): never {
  throw new TypeError('the certificate is damaged');
}
