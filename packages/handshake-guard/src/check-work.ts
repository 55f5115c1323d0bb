import type { Element } from '@edge-controller/certificate-path';
import {
  childrenOf,
  constructed,
  NotDer,
  primitive,
  readInteger,
  readOctets,
  readOid,
  readOne,
  sequenceOf,
  tags,
  unwrap,
} from '@edge-controller/certificate-path';
import { RefusedHandshake } from './refused-handshake.ts';

/** Bits. OpenSSL accepts larger keys, too, and takes 10 ms and more for each signature. */
const maxRsaBits = 8_192;
/** Bits of a public exponent. The usual one has 17; one as long as the modulus costs as much as a private operation. */
const maxExponentBits = 32;
/** The limit for names times bytes of constraints: OpenSSL compares each name with each constraint. */
const maxNameWork = 200_000;
/** Milliseconds for one name and one byte of constraints, at most. */
const nameWork = 0.000_02;

/** Milliseconds. */
const maxWork = 10;
/** Milliseconds to compare two certificates, when OpenSSL looks for the issuer of each. */
const pairWork = 0.001;

const rsa = ['1.2.840.113549.1.1.1', '1.2.840.113549.1.1.10'];
const ellipticCurve = '1.2.840.10045.2.1';
/** Milliseconds of a signature check with OpenSSL 3.5, rounded up: P-224, P-256, P-384, P-521. */
const curves: Readonly<Record<string, number>> = {
  '1.3.132.0.33': 0.4,
  '1.2.840.10045.3.1.7': 0.1,
  '1.3.132.0.34': 0.8,
  '1.3.132.0.35': 1.8,
};
/** The same for Ed25519 and Ed448. */
const edwards: Readonly<Record<string, number>> = { '1.3.101.112': 0.2, '1.3.101.113': 0.4 };
const rsa2048 = 0.04;

const subjectAltName = '2.5.29.17';
const nameConstraints = '2.5.29.30';

interface Parts {
  readonly publicKey: Element;
  /** How many names the subject and its alternative names have. */
  readonly names: number;
  /** Bytes of its name constraints. */
  readonly constraints: number;
}

/**
 * Estimates how many milliseconds OpenSSL takes to verify the certificates of a peer. It does so during the handshake, on the
 * main thread, without a time limit. More than ten milliseconds are refused.
 *
 * @throws RefusedHandshake for keys and names that take long, for keys of unknown kinds, and for what is not DER
 */
export function checkWork(certificates: readonly Buffer[]): number {
  try {
    const parts = certificates.map(partsOf);
    const total = (part: 'names' | 'constraints') => parts.reduce((sum, one) => sum + one[part], 0);
    const names = total('names') * total('constraints');
    if (names > maxNameWork) throw new RefusedHandshake('too many names for its name constraints');
    const least = names * nameWork + parts.length ** 2 * pairWork;
    const work = parts.reduce((sum, { publicKey }) => sum + keyWork(publicKey), least);
    if (work > maxWork) throw new RefusedHandshake('certificates that take long to verify');
    return work;
  } catch (error) {
    if (error instanceof NotDer) throw new RefusedHandshake(`a certificate that is not DER: ${error.message}`);
    throw error;
  }
}

/** Reads only what takes time (RFC 5280, section 4.1). */
function partsOf(der: Buffer): Parts {
  const certificate = sequenceOf(readOne(der, tags.sequence));
  const body = sequenceOf(certificate.next(tags.sequence));
  body.optional(constructed(0));
  body.next(tags.integer);
  // Algorithm, issuer and dates.
  for (let skipped = 0; skipped < 3; skipped += 1) body.next(tags.sequence);
  const subject = body.next(tags.sequence);
  const publicKey = body.next(tags.sequence);
  for (const uniqueId of [1, 2]) body.optional(primitive(uniqueId), constructed(uniqueId));
  const extensions = body.optional(constructed(3));
  let names = childrenOf(subject).length;
  let constraints = 0;
  for (const extension of extensions ? childrenOf(unwrap(extensions, tags.sequence)) : []) {
    const [id, ...others] = childrenOf(extension);
    const value = others.at(-1);
    if (id?.tag !== tags.oid || value?.tag !== tags.octetString) throw new NotDer('no extension');
    const type = readOid(id);
    if (type === subjectAltName) names += childrenOf(readOne(value.content, tags.sequence)).length;
    if (type === nameConstraints) constraints += value.content.length;
  }
  return { publicKey, names, constraints };
}

/** Milliseconds of a signature check with this key. */
function keyWork(publicKey: Element): number {
  const info = sequenceOf(publicKey);
  const [type, parameters] = childrenOf(info.next(tags.sequence));
  const bits = readOctets(info.next(tags.bitString));
  if (type?.tag !== tags.oid) throw new NotDer('no AlgorithmIdentifier');
  const algorithm = readOid(type);
  if (rsa.includes(algorithm)) return rsaWork(bits);
  const isCurve = algorithm === ellipticCurve && parameters?.tag === tags.oid;
  const work = isCurve ? curves[readOid(parameters)] : edwards[algorithm];
  if (work === undefined) throw new RefusedHandshake('a key of a kind that is not supported');
  return work;
}

function rsaWork(bits: Buffer): number {
  const key = sequenceOf(readOne(bits, tags.sequence));
  const modulus = bitLength(key.next(tags.integer));
  const exponent = bitLength(key.next(tags.integer));
  if (modulus > maxRsaBits || exponent > maxExponentBits) throw new RefusedHandshake('an RSA key that is too large');
  return rsa2048 * (modulus / 2_048) ** 2 * (exponent / 17);
}

function bitLength(integer: Element): number {
  const bytes = readInteger(integer);
  const significant = bytes[0] === 0 ? bytes.subarray(1) : bytes;
  return significant.length * 8 - Math.clz32(significant[0] ?? 0) + 24;
}
