import { X509Certificate } from 'node:crypto';

const tags = { integer: 0x02, objectIdentifier: 0x06, sequence: 0x30, set: 0x31, constructed0: 0xa0 } as const;
/** 1.2.840.113549.1.7.1 and .2 (RFC 5652, sections 4 and 5.1). */
const oids = { data: '2a864886f70d010701', signedData: '2a864886f70d010702' } as const;

/**
 * Returns a certs-only PKCS#7 bundle: signed data (RFC 5652) without signers, as RFC 7030, section 4.1.3 requires. It
 * is base64 in lines of 64 characters, without a newline at the end.
 */
export function certsOnlyPkcs7(pems: readonly string[]): string {
  const signedData = encode(
    tags.sequence,
    encode(tags.integer, Buffer.of(1)),
    encode(tags.set),
    encode(tags.sequence, oid(oids.data)),
    encode(tags.constructed0, ...pems.map((pem) => new X509Certificate(pem).raw)),
    encode(tags.set),
  );
  const bundle = encode(tags.sequence, oid(oids.signedData), encode(tags.constructed0, signedData));
  return (bundle.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
}

function oid(hex: string): Buffer {
  return encode(tags.objectIdentifier, Buffer.from(hex, 'hex'));
}

/** Encodes one DER value: tag, length, content. A length below 128 has the short form. */
function encode(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 128) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const hex = content.length.toString(16);
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, content]);
}
