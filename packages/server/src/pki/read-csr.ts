import type { Element, GeneralName, KeyKind } from '@edge-controller/certificate-path';
import {
  BrokenRule,
  childrenOf,
  constructed,
  isSignedBy,
  NotDer,
  readCount,
  readName,
  readOctets,
  readOne,
  readPublicKey,
  readSignatureAlgorithm,
  sequenceOf,
  tags,
} from '@edge-controller/certificate-path';
import { ApiError } from '../core/api-error.ts';
import { readRequestedNames } from './requested-names.ts';

/** What a certificate takes from a CSR. */
export interface CertificateRequest {
  /** DER of the Name. It may be empty. */
  readonly subject: Buffer;
  readonly hasEmptySubject: boolean;
  /** Those in the subject. */
  readonly commonNames: readonly string[];
  /** The attributes, in which a client may request extensions. */
  readonly attributes: Element | undefined;
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer;
}

/** Characters of the PEM text. */
const maxLength = 8_192;
const begin = '-----BEGIN ';
const dashes = '-----';
const keyKinds: readonly KeyKind[] = ['rsa', 'ec'];

/**
 * Reads a PKCS#10 CSR in PEM (RFC 2986), checks that it is signed with its own key, and that the key is RSA with 2,048 to
 * 8,192 bits, P-256, P-384 or P-521. Its attributes are not checked.
 *
 * @throws ApiError `COULD_NOT_PROCESS_CSR` with the reason
 */
export function readCsr(pem: string): CertificateRequest {
  const der = decode(pem);
  return readable(() => readRequest(der), 'the CSR has a key that cannot be used');
}

/**
 * Reads the subject alternative names that a CSR requests.
 *
 * @throws ApiError `COULD_NOT_PROCESS_CSR` with the reason
 */
export function readNamesOf({ attributes }: CertificateRequest): readonly GeneralName[] {
  return readable(() => readRequestedNames(attributes), 'the CSR requests extensions that cannot be used');
}

function readable<T>(read: () => T, whenBroken: string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokenRule) throw refused(`${whenBroken}: ${error.message}`);
    if (error instanceof NotDer) throw refused(`the CSR is not PKCS#10 in DER: ${error.message}`);
    throw error;
  }
}

/** The error for a CSR that cannot be used. The client sees the reason. */
export function refused(message: string): ApiError {
  return new ApiError('COULD_NOT_PROCESS_CSR', { cause: { code: 'UNHANDLED', message } });
}

/** As on the wire, the label of the block and the text in front of it are ignored. Only white space may follow the block. */
function decode(pem: string): Buffer {
  if (pem === '') throw refused('csrPem must not be null or empty');
  if (pem.length > maxLength) throw refused(`csrPem must not have more than ${maxLength} characters`);
  const undecodable = refused('could not decode csrPem as PEM');
  const start = pem.startsWith(begin) ? 0 : pem.indexOf(`\n${begin}`) + 1;
  const labelAt = start + begin.length;
  const labelEnd = pem.indexOf(dashes, labelAt);
  if (!pem.startsWith(begin, start) || labelEnd < 0) throw undecodable;
  const end = `${dashes}END ${pem.slice(labelAt, labelEnd)}${dashes}`;
  const endAt = pem.indexOf(end, labelEnd);
  const base64 = pem.slice(labelEnd + dashes.length, Math.max(endAt, 0)).replace(/\s/g, '');
  if (endAt < 0 || base64 === '' || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) throw undecodable;
  if (pem.slice(endAt + end.length).trim() !== '') throw refused('unexpected PEM blocks at end of CSR');
  return Buffer.from(base64, 'base64');
}

function readRequest(der: Buffer): CertificateRequest {
  const outer = sequenceOf(readOne(der, tags.sequence));
  const signed = outer.next(tags.sequence);
  // mbed TLS writes NULL behind ECDSA, too. A CSR signs nobody in.
  const algorithm = readSignatureAlgorithm(outer.next(tags.sequence), ['rsa', 'ec']);
  const signature = readOctets(outer.next(tags.bitString));
  outer.end();

  const [version, subject, keyInfo, attributes, ...others] = childrenOf(signed);
  if (!version || !subject || !keyInfo || others.length > 0) throw new NotDer('another number of parts');
  if (version.tag !== tags.integer || readCount(version) !== 0) throw new NotDer('another version');
  // Clients that request nothing may leave out the attributes.
  if (attributes && attributes.tag !== constructed(0)) throw new NotDer('attributes expected');
  if (attributes) childrenOf(attributes);
  const { rdns, commonNames } = readName(subject);
  const key = readPublicKey(keyInfo);
  if (!keyKinds.includes(key.kind)) throw new BrokenRule('weak-key', `a key of the kind ${key.kind}`);
  if (algorithm === null) throw refused('the signature of the CSR is weak, or of a kind that is not supported');
  if (!isSignedBy(key, { algorithm, tbs: signed.raw, signature })) {
    throw refused('the CSR is not signed with its own key');
  }
  return {
    ...{ subject: subject.raw, hasEmptySubject: rdns.length === 0, commonNames },
    attributes,
    spki: key.spki,
  };
}
