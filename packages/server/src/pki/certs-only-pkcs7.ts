import { constructed, tags } from '@edge-controller/certificate-path';

/**
 * Returns the DER of certs-only PKCS#7 (RFC 7030, section 4.1.3): signed data without content and without signers
 * (RFC 5652, section 5.1).
 */
export function certsOnlyPkcs7(certificates: readonly Buffer[]): Buffer {
  // X.690, section 11.6: the elements of a SET OF are in the order of their bytes.
  const sorted = certificates.toSorted(Buffer.compare);
  const signedData = write(tags.sequence, [
    version1,
    write(tags.set, []),
    // The type alone: mbed TLS reads no certificate behind a content, even an empty one.
    write(tags.sequence, [dataType]),
    write(constructed(0), sorted),
    write(tags.set, []),
  ]);
  return write(tags.sequence, [signedDataType, write(constructed(0), [signedData])]);
}

const version1 = Buffer.from('020101', 'hex');
/** 1.2.840.113549.1.7.1 and .2 */
const dataType = Buffer.from('06092a864886f70d010701', 'hex');
const signedDataType = Buffer.from('06092a864886f70d010702', 'hex');

function write(tag: number, parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const octets = Math.ceil((32 - Math.clz32(length)) / 8);
  const bytes = Buffer.alloc(1 + octets, 0x80 + octets);
  bytes.writeUIntBE(length, 1, octets);
  return bytes;
}
