import type { KeyObject } from 'node:crypto';
import { createPublicKey } from 'node:crypto';
import { BrokenRule } from './broken-rule.ts';
import type { Element } from './der.ts';
import { childrenOf, NotDer, readOne, sequenceOf, tags } from './der.ts';
import { readInteger, readOctets, readOid } from './der-values.ts';

export type KeyKind = 'rsa' | 'rsa-pss' | 'ec' | 'ed25519';

/** The public key of a certificate. It is strong enough. */
export interface PublicKey {
  readonly kind: KeyKind;
  /** How long it takes to check a signature, in units of one check with P-256. */
  readonly cost: number;
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  /** The parameters of an RSA-PSS key, `null` when it has none. They bind its signatures. */
  readonly parameters: Buffer | null;
  /** @throws BrokenRule when these are not the numbers of a key */
  load(): KeyObject;
}

/** The costs were measured with OpenSSL 3.5: it has fast code for P-256 only. */
const curves: Readonly<Record<string, { readonly size: number; readonly cost: number }>> = {
  '1.2.840.10045.3.1.7': { size: 32, cost: 1 },
  '1.3.132.0.34': { size: 48, cost: 8 },
  '1.3.132.0.35': { size: 66, cost: 10 },
};
const algorithms: Readonly<Record<string, KeyKind>> = {
  '1.2.840.113549.1.1.1': 'rsa',
  '1.2.840.113549.1.1.10': 'rsa-pss',
  '1.2.840.10045.2.1': 'ec',
  '1.3.101.112': 'ed25519',
};
const minRsaBits = 2048;
/** Larger keys only cost time. */
const maxRsaBits = 8192;

/**
 * Reads a SubjectPublicKeyInfo (RFC 5280, section 4.1.2.7).
 *
 * @throws NotDer, and BrokenRule for a key that is weak or of a kind that is not supported
 */
export function readPublicKey(element: Element): PublicKey {
  const info = sequenceOf(element);
  const algorithm = info.next(tags.sequence);
  const bits = readOctets(info.next(tags.bitString));
  info.end();
  const [type, parameters = null, ...others] = childrenOf(algorithm);
  if (type?.tag !== tags.oid || others.length > 0) throw new NotDer('no AlgorithmIdentifier');
  const kind = algorithms[readOid(type)];
  if (kind === undefined) throw new BrokenRule('weak-key', 'a key of a kind that is not supported');
  const spki = element.raw;
  let loaded: KeyObject | BrokenRule | null = null;
  return {
    kind,
    cost: checks[kind](bits, parameters),
    spki,
    parameters: kind === 'rsa-pss' ? (parameters?.raw ?? null) : null,
    load() {
      loaded ??= load(spki);
      if (loaded instanceof BrokenRule) throw loaded;
      return loaded;
    },
  };
}

function load(spki: Buffer): KeyObject | BrokenRule {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return new BrokenRule('weak-key', 'numbers that are no key');
  }
}

/** Each returns the cost of a check with this key. */
const checks: Readonly<Record<KeyKind, (bits: Buffer, parameters: Element | null) => number>> = {
  rsa(bits, parameters) {
    if (parameters?.tag !== tags.null || parameters.content.length > 0) throw new NotDer('an RSA key without NULL');
    return checkRsa(bits);
  },
  'rsa-pss': (bits) => checkRsa(bits),
  ec(bits, parameters) {
    const curve = parameters?.tag === tags.oid ? curves[readOid(parameters)] : undefined;
    if (!curve) throw new BrokenRule('weak-key', 'a curve other than P-256, P-384 and P-521');
    const coordinates = bits[0] === 4 ? 2 : 1;
    const known = bits[0] === 2 || bits[0] === 3 || bits[0] === 4;
    if (!known || bits.length !== 1 + coordinates * curve.size)
      throw new BrokenRule('weak-key', 'no point of its curve');
    return curve.cost;
  },
  ed25519(bits, parameters) {
    if (parameters !== null || bits.length !== 32) throw new NotDer('no Ed25519 key');
    return 3;
  },
};

/** Sizes as in SP 800-57 and FIPS 186-5. A large exponent would make every check slow. */
function checkRsa(bits: Buffer): number {
  const key = sequenceOf(readOne(bits, tags.sequence));
  const modulus = readInteger(key.next(tags.integer));
  const exponent = readInteger(key.next(tags.integer));
  key.end();
  const size = bitLength(modulus);
  if (size < minRsaBits || size > maxRsaBits || size % 8 !== 0) {
    throw new BrokenRule('weak-key', `an RSA key of ${size} bits`);
  }
  const value = exponent.length <= 5 ? exponent.readIntBE(0, exponent.length) : Number.NaN;
  const sane = value >= 65_537 && value < 2 ** 32 && value % 2 === 1;
  if (!sane || isEven(modulus))
    throw new BrokenRule('weak-key', 'an RSA key with an exponent or modulus out of bounds');
  return Math.ceil((size / 4096) ** 2 * (bitLength(exponent) / 17));
}

function bitLength(integer: Buffer): number {
  const [first = 0] = integer;
  if (first >= 0x80) throw new NotDer('a negative modulus');
  const significant = first === 0 ? integer.subarray(1) : integer;
  return significant.length === 0 ? 0 : (significant.length - 1) * 8 + (32 - Math.clz32(significant[0] ?? 0));
}

const isEven = (integer: Buffer) => ((integer.at(-1) ?? 0) & 1) === 0;
