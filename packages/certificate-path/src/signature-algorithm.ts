import { constants, verify } from 'node:crypto';
import type { Element } from './der.ts';
import { childrenOf, expectTag, NotDer, tags } from './der.ts';
import { readOid } from './der-values.ts';
import type { KeyKind, PublicKey } from './public-key.ts';

type Hash = 'sha256' | 'sha384' | 'sha512';

/** How a certificate is signed. */
export interface SignatureAlgorithm {
  /** The kinds of keys that can make such a signature. */
  readonly keys: readonly KeyKind[];
  /** `null` for Ed25519, which has its own. */
  readonly hash: Hash | null;
  /** The parameters of RSA-PSS, else `null`. */
  readonly pss: Buffer | null;
}

const rsaPss = '1.2.840.113549.1.1.10';
const algorithms: Readonly<Record<string, { readonly key: KeyKind; readonly hash: Hash | null }>> = {
  '1.2.840.113549.1.1.11': { key: 'rsa', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { key: 'rsa', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { key: 'rsa', hash: 'sha512' },
  '1.2.840.10045.4.3.2': { key: 'ec', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { key: 'ec', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { key: 'ec', hash: 'sha512' },
  '1.3.101.112': { key: 'ed25519', hash: null },
};
const saltLengths: Readonly<Record<Hash, number>> = { sha256: 32, sha384: 48, sha512: 64 };

/**
 * Reads an AlgorithmIdentifier. Returns `null` for an algorithm that is weak or not supported. `mayHaveNull` are the kinds of
 * keys whose algorithms may have NULL as parameters. RFC 4055, section 5: RSA has NULL, and its absence is accepted.
 * RFC 5758 and RFC 8410: the others have no parameters.
 *
 * @throws NotDer
 */
export function readSignatureAlgorithm(
  element: Element,
  mayHaveNull: readonly KeyKind[] = ['rsa'],
): SignatureAlgorithm | null {
  const [type, parameters, ...others] = childrenOf(element);
  if (others.length > 0) throw new NotDer('no AlgorithmIdentifier');
  const oid = readOid(expectTag(type, tags.oid));
  if (oid === rsaPss) {
    const hash = parameters && pssHashes.get(parameters.raw.toString('hex'));
    return hash ? { keys: ['rsa', 'rsa-pss'], hash, pss: parameters.raw } : null;
  }
  const found = algorithms[oid];
  if (!found) return null;
  const isNull = parameters?.raw.equals(derNull) ?? false;
  if (parameters && !(isNull && mayHaveNull.includes(found.key))) return null;
  return { keys: [found.key], hash: found.hash, pss: null };
}

/** @throws BrokenRule when the key is none */
export function isSignedBy(
  key: PublicKey,
  signed: { readonly algorithm: SignatureAlgorithm; readonly tbs: Buffer; readonly signature: Buffer },
): boolean {
  const { keys, hash, pss } = signed.algorithm;
  if (!keys.includes(key.kind)) return false;
  if (pss === null || hash === null) return verify(hash, signed.tbs, key.load(), signed.signature);
  // RFC 4055, section 3.3: the parameters of a key are those of its signatures.
  if (key.parameters !== null && !key.parameters.equals(pss)) return false;
  const options = { key: key.load(), padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: saltLengths[hash] };
  return verify(hash, signed.tbs, options, signed.signature);
}

const derNull = Buffer.from('0500', 'hex');

/**
 * RSASSA-PSS-params in DER, in hex → hash. One hash for the message and for MGF1, and a salt of its length: nothing else
 * is in use. NULL may be left out behind the name of a hash (RFC 4055, section 2.1).
 */
const pssHashes: ReadonlyMap<string, Hash> = new Map(
  (['sha256', 'sha384', 'sha512'] as const).flatMap((hash, index) => {
    const oid = `060960864801650304020${index + 1}`;
    const names = [wrap('30', `${oid}0500`), wrap('30', oid)];
    return names.flatMap((own) =>
      names.map((inMgf1): [string, Hash] => {
        const mgf1 = wrap('30', `06092a864886f70d010108${inMgf1}`);
        const salt = wrap('02', saltLengths[hash].toString(16));
        return [wrap('30', wrap('a0', own) + wrap('a1', mgf1) + wrap('a2', salt)), hash];
      }),
    );
  }),
);

function wrap(tag: string, content: string): string {
  return `${tag}${(content.length / 2).toString(16).padStart(2, '0')}${content}`;
}
