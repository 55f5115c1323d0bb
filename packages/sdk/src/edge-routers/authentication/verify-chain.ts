import type { KeyObject } from 'node:crypto';
import type { ReadCertificate } from './read-certificate.ts';
import { readCertificate } from './read-certificate.ts';

interface Chain {
  /** DER. The first one is that of the end, the others lead to an anchor, in any order. */
  readonly certificates: readonly Buffer[];
  /** DER of the CA certificates that are trusted. */
  readonly anchors: readonly Buffer[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** CA certificates between the end and the anchor. */
const maxIntermediates = 3;
/** The object identifiers of `anyExtendedKeyUsage` and `id-kp-clientAuth`. */
const clientUsages = ['551d2500', '2b06010505070302'];
/** ECDSA and RSA with SHA-2, RSA-PSS, Ed25519. */
const signatures = [
  ...['2a8648ce3d040302', '2a8648ce3d040303', '2a8648ce3d040304'],
  ...['2a864886f70d01010b', '2a864886f70d01010c', '2a864886f70d01010d', '2a864886f70d01010a', '2b6570'],
];
const curves = ['prime256v1', 'secp384r1', 'secp521r1'];
const minModulus = 2_048;

/**
 * Verifies that an anchor has issued the first certificate for a client, directly or through other CAs (RFC 5280, section 6, without
 * name constraints: a CA with them is refused).
 *
 * @throws Error with the reason
 */
export function verifyChain({ certificates, anchors, at }: Chain): ReadCertificate {
  const [leaf, ...others] = certificates.map((der) => readCertificate(der));
  if (!leaf) throw new Error('there is no certificate');
  if (leaf.certificate.ca) throw new Error('the certificate is that of a CA');
  if (!leaf.signsData) throw new Error('the key of the certificate may not sign');
  check(leaf, at);
  const usable = { anchors: usableOf(anchors, at), others };
  let below = leaf;
  for (let intermediates = 0; intermediates <= maxIntermediates; intermediates += 1) {
    const isIssuer = (one: ReadCertificate) => isIssuedBy(below, one) && mayStandAbove(one, intermediates);
    if (usable.anchors.some(isIssuer)) return leaf;
    const next = usable.others.find(isIssuer);
    if (!next) break;
    check(next, at);
    below = next;
  }
  throw new Error('the certificate is of no CA that is trusted');
}

/** Anchors are configuration: one that cannot be used does not hide the others. */
function usableOf(anchors: readonly Buffer[], at: number): ReadCertificate[] {
  return anchors.flatMap((der) => {
    try {
      const anchor = readCertificate(der);
      check(anchor, at);
      return [anchor];
    } catch {
      return [];
    }
  });
}

function check({ certificate, notUnderstood, extendedKeyUsages, signatureAlgorithm }: ReadCertificate, at: number) {
  const { validFromDate, validToDate, publicKey } = certificate;
  if (at < validFromDate.getTime()) throw new Error('the certificate is not valid yet');
  if (at > validToDate.getTime()) throw new Error('the certificate has expired');
  if (!isStrong(publicKey)) throw new Error('the key of the certificate is too weak');
  if (!signatures.includes(signatureAlgorithm)) throw new Error('the certificate has a weak signature');
  if (notUnderstood.length > 0) throw new Error('the certificate has an extension that is not supported');
  if (extendedKeyUsages && !extendedKeyUsages.some((usage) => clientUsages.includes(usage))) {
    throw new Error('the certificate is not for clients');
  }
}

function isIssuedBy({ certificate }: ReadCertificate, issuer: ReadCertificate): boolean {
  return certificate.checkIssued(issuer.certificate) && certificate.verify(issuer.certificate.publicKey);
}

function mayStandAbove({ certificate, pathLength }: ReadCertificate, intermediates: number): boolean {
  return certificate.ca && (pathLength === undefined || pathLength >= intermediates);
}

export function isStrong({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'ec') return curves.includes(namedCurve);
  return asymmetricKeyType === 'ed25519' || (asymmetricKeyType === 'rsa' && modulusLength >= minModulus);
}
