import { BrokenRule } from './broken-rule.ts';
import type { CertificateExtensions } from './certificate-extensions.ts';
import { readExtensions } from './certificate-extensions.ts';
import type { Element } from './der.ts';
import { constructed, NotDer, primitive, readOne, sequenceOf, tags, unwrap } from './der.ts';
import { readCount, readInteger, readOctets, readTime } from './der-values.ts';
import type { DistinguishedName } from './distinguished-name.ts';
import { readName } from './distinguished-name.ts';
import type { PublicKey } from './public-key.ts';
import { readPublicKey } from './public-key.ts';
import type { SignatureAlgorithm } from './signature-algorithm.ts';
import { readSignatureAlgorithm } from './signature-algorithm.ts';

/** Bytes. */
const maxCertificateSize = 16_384;
const maxSerialNumberSize = 20;

/** A certificate whose names and times can be read. */
export interface Certificate {
  /** The bytes it was read from. */
  readonly der: Buffer;
  /** The signed part. */
  readonly tbs: Buffer;
  readonly version: 1 | 2 | 3;
  readonly serialNumber: Buffer;
  readonly issuer: DistinguishedName;
  readonly subject: DistinguishedName;
  /** Seconds since 1970. */
  readonly notBefore: number;
  /** Seconds since 1970. */
  readonly notAfter: number;
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  /** `null` when the signature is weak. */
  readonly algorithm: SignatureAlgorithm | null;
  readonly signature: Buffer;
  /** What nobody may rely on when `flaw` is set. */
  readonly extensions: CertificateExtensions;
  /** `null` when `flaw` is set. */
  readonly key: PublicKey | null;
  /** The first rule that the certificate breaks by itself, whatever its role. */
  readonly flaw: BrokenRule | null;
}

/**
 * Reads a certificate (RFC 5280, section 4.1).
 *
 * @throws BrokenRule when it is too large, or no certificate in DER
 */
export function readCertificate(der: Buffer): Certificate {
  if (der.length > maxCertificateSize) throw new BrokenRule('too-large', `a certificate of ${der.length} bytes`);
  return malformedUnlessDer(() => readParts(der));
}

function readParts(der: Buffer): Certificate {
  const outer = sequenceOf(readOne(der, tags.sequence));
  const signed = outer.next(tags.sequence);
  const outerAlgorithm = outer.next(tags.sequence);
  const signature = readOctets(outer.next(tags.bitString));
  outer.end();

  const parts = sequenceOf(signed);
  const version = readVersion(parts.optional(constructed(0)));
  const serialNumber = readInteger(parts.next(tags.integer));
  const innerAlgorithm = parts.next(tags.sequence);
  const issuer = readName(parts.next(tags.sequence));
  const validity = sequenceOf(parts.next(tags.sequence));
  const times = [
    validity.optional(tags.utcTime, tags.generalizedTime),
    validity.optional(tags.utcTime, tags.generalizedTime),
  ];
  validity.end();
  const [notBefore, notAfter] = times.map((time) => (time === null ? null : readTime(time)));
  if (notBefore == null || notAfter == null) throw new NotDer('no validity');
  const subject = readName(parts.next(tags.sequence));
  const keyInfo = parts.next(tags.sequence);
  const uniqueIds = [parts.optional(primitive(1)), parts.optional(primitive(2))].filter((id) => id !== null);
  const extensionList = parts.optional(constructed(3));
  parts.end();

  const read = { der, tbs: signed.raw, version, serialNumber, issuer, subject, notBefore, notAfter, signature };
  const common = { ...read, spki: keyInfo.raw, algorithm: readSignatureAlgorithm(innerAlgorithm) };
  try {
    if (!innerAlgorithm.raw.equals(outerAlgorithm.raw)) {
      throw new BrokenRule('algorithm-mismatch', 'the signature algorithms inside and outside differ');
    }
    if (version < 3 && extensionList !== null) throw new BrokenRule('version', `extensions in version ${version}`);
    if (version < 2 && uniqueIds.length > 0) throw new BrokenRule('version', 'unique identifiers in version 1');
    checkSerialNumber(serialNumber);
    if (issuer.rdns.length === 0) throw new BrokenRule('empty-name', 'no issuer');
    const extensions = malformedUnlessDer(() => {
      return extensionList === null ? {} : readExtensions(unwrap(extensionList, tags.sequence));
    });
    checkSubject(subject, extensions);
    return { ...common, extensions, key: malformedUnlessDer(() => readPublicKey(keyInfo)), flaw: null };
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    return { ...common, extensions: {}, key: null, flaw: error };
  }
}

function malformedUnlessDer<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NotDer)) throw error;
    throw new BrokenRule('malformed', error.message);
  }
}

function readVersion(element: Element | null): 1 | 2 | 3 {
  if (element === null) return 1;
  const version = readCount(unwrap(element, tags.integer)) + 1;
  // Version 1 is the default value, which DER leaves out.
  if (version !== 2 && version !== 3) throw new NotDer('no version');
  return version;
}

/** 20 octets and one for the sign: an issuer that fills all of them with random bits is accepted. */
function checkSerialNumber(serialNumber: Buffer): void {
  const [first = 0] = serialNumber;
  if (first >= 0x80) throw new BrokenRule('serial-number', 'a negative serial number');
  const size = first === 0 ? serialNumber.length - 1 : serialNumber.length;
  if (size > maxSerialNumberSize) throw new BrokenRule('serial-number', `a serial number of ${size} octets`);
}

/** RFC 5280, section 4.1.2.6. */
function checkSubject(subject: DistinguishedName, { subjectAltNames }: CertificateExtensions): void {
  if (subject.rdns.length > 0 || subjectAltNames?.critical) return;
  throw new BrokenRule('empty-name', 'neither a subject nor a critical subjectAltName');
}
