import { RefusedHandshake } from './refused-handshake.ts';

/** How many bytes the certificates of a peer may have together. */
export const maxChainBytes = 65_536;

export type Version = 'TLSv1.2' | 'TLSv1.3';

/**
 * Reads the certificates of a Certificate message, in DER and in the order in which they were sent (RFC 8446, section 4.4.2;
 * RFC 5246, section 7.4.2).
 *
 * @throws RefusedHandshake for more than 64 KiB
 */
export function readCertificates(body: Buffer, version: Version): readonly Buffer[] {
  const cursor = new Cursor(body);
  if (version === 'TLSv1.3') cursor.vector(1);
  const list = new Cursor(cursor.vector(3));
  cursor.end();
  const certificates: Buffer[] = [];
  let length = 0;
  while (!list.isAtEnd) {
    const certificate = list.vector(3);
    if (version === 'TLSv1.3') list.vector(2);
    length += certificate.length;
    if (length > maxChainBytes) throw new RefusedHandshake(`more than ${maxChainBytes} bytes of certificates`);
    // A copy: the buffer of the connection must not live as long as the certificates.
    certificates.push(Buffer.from(certificate));
  }
  return certificates;
}

class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Reads a vector whose length is in the `size` bytes before it (RFC 8446, section 3.4). */
  vector(size: number): Buffer {
    const start = this.#at + size;
    const length = start <= this.#bytes.length ? this.#bytes.readUIntBE(this.#at, size) : Number.POSITIVE_INFINITY;
    if (start + length > this.#bytes.length) throw new RefusedHandshake('a Certificate message that ends too early');
    this.#at = start + length;
    return this.#bytes.subarray(start, this.#at);
  }

  end(): void {
    if (!this.isAtEnd) throw new RefusedHandshake('bytes behind the certificates');
  }
}
