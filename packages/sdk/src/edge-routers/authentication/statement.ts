/** What an end says in one message to prove who it is. */
export interface Statement {
  readonly signature: Buffer;
  /** DER. The first one has the key of the signature. */
  readonly certificates: readonly Buffer[];
}

/** Bytes. A chain of three certificates with RSA keys has 5,000. */
const maxLength = 16_384;
const maxCertificates = 5;
const version = 1;
/** What the host sends instead of its statement. */
export const refusal = Uint8Array.of(0);

/** @throws Error when the chain is too long */
export function encodeStatement({ signature, certificates }: Statement): Buffer {
  const parts = [signature, ...certificates.slice(0, maxCertificates)].flatMap((part) => [lengthOf(part), part]);
  const bytes = Buffer.concat([Uint8Array.of(version), ...parts]);
  if (bytes.length > maxLength) throw new Error('the certificates of this end are too long');
  return bytes;
}

/** @throws Error when it is no statement */
export function readStatement(message: Uint8Array): Statement {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
  if (bytes.length > maxLength || bytes[0] !== version) throw new Error('the other end sent no statement');
  const parts: Buffer[] = [];
  for (let at = 1; at < bytes.length; ) {
    const start = at + 2;
    const end = start > bytes.length ? Number.POSITIVE_INFINITY : start + bytes.readUInt16BE(at);
    if (end > bytes.length || parts.length > maxCertificates) throw new Error('the statement is damaged');
    parts.push(bytes.subarray(start, end));
    at = end;
  }
  const [signature, ...certificates] = parts;
  if (!signature || certificates.length === 0) throw new Error('the statement is damaged');
  return { signature, certificates };
}

function lengthOf({ length }: Buffer): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(length);
  return bytes;
}
