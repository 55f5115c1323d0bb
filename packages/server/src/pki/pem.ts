/** One block of a PEM text (RFC 7468). */
interface PemBlock {
  /** `CERTIFICATE`, for example. */
  readonly label: string;
  readonly bytes: Buffer;
}

const begin = /^-----BEGIN ([A-Z0-9 ]{1,64})-----$/;

/** Reads the blocks of a PEM text; text around them is ignored. A block that cannot be read is `null`. */
export function readPem(text: string): (PemBlock | null)[] {
  const blocks: (PemBlock | null)[] = [];
  let open: { readonly label: string; readonly lines: string[] } | null = null;
  for (const untrimmed of text.split('\n')) {
    // White space before a line is not accepted: other readers do not see such a block.
    const line = untrimmed.trimEnd();
    const label = begin.exec(line)?.[1];
    if (label !== undefined) {
      if (open) blocks.push(null);
      open = { label, lines: [] };
    } else if (open && line.startsWith('-----END ')) {
      const bytes = line === `-----END ${open.label}-----` ? decodeBase64(open.lines.join('')) : null;
      blocks.push(bytes && { label: open.label, bytes });
      open = null;
    } else open?.lines.push(line);
  }
  if (open) blocks.push(null);
  return blocks;
}

function decodeBase64(text: string): Buffer | null {
  const isBase64 = text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, 'base64') : null;
}

/**
 * The DER of all certificates in a PEM text, in their order. What is between them is ignored. A block that cannot be read is
 * an empty buffer.
 */
export function certificatesOf(pem: string): Buffer[] {
  return readPem(pem).flatMap((block) => {
    if (block === null) return [Buffer.alloc(0)];
    return block.label === 'CERTIFICATE' ? [block.bytes] : [];
  });
}

/** The DER of the first block of a PEM text; an empty buffer when that is not a certificate. */
export function firstCertificateOf(pem: string): Buffer {
  const [block] = readPem(pem);
  return block?.label === 'CERTIFICATE' ? block.bytes : Buffer.alloc(0);
}

/** PEM with one block for each certificate, and a line end behind each. */
export function pemOf(certificates: readonly Buffer[]): string {
  return certificates
    .map((der) => `-----BEGIN CERTIFICATE-----\n${base64Lines(der)}\n-----END CERTIFICATE-----\n`)
    .join('');
}

/** Base64 in lines of 64 characters, without a newline at the end. */
export function base64Lines(bytes: Buffer): string {
  return (bytes.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
}
