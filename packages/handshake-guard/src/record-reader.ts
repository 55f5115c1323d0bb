import { RefusedHandshake } from './refused-handshake.ts';

/** The content types of records that a handshake has (RFC 8446, section 5.1). */
export const contentTypes = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const;

/** A TLS record. */
export interface TlsRecord {
  readonly type: number;
  readonly body: Buffer;
  /** The header with the body, as received. */
  readonly raw: Buffer;
}

export const headerLength = 5;
/** The largest body: 2^14 bytes and what TLS 1.2 may add (RFC 5246, section 6.2.3). */
const maxBody = 16_384 + 2_048;
const known: ReadonlySet<number> = new Set(Object.values(contentTypes));

/** Cuts what a peer sends into TLS records. */
export class RecordReader {
  #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** The next record, or `null` while it is not complete. @throws RefusedHandshake when this is not TLS */
  next(): TlsRecord | null {
    const [first] = this.#chunks;
    if (first !== undefined && !known.has(first[0] ?? 0)) throw new RefusedHandshake('no TLS');
    if (this.#length < headerLength) return null;
    // The chunks are joined only when something can be read of them: a peer may send one byte at a time.
    if ((this.#chunks[0]?.length ?? 0) < headerLength) this.#join();
    const end = headerLength + (this.#chunks[0]?.readUInt16BE(3) ?? 0);
    if (end > headerLength + maxBody) throw new RefusedHandshake('a record that is too long');
    if (this.#length < end) return null;
    const all = this.#join();
    this.#replace(all.subarray(end));
    return { type: all[0] ?? 0, body: all.subarray(headerLength, end), raw: all.subarray(0, end) };
  }

  /** What was received and not read. */
  rest(): Buffer {
    const all = this.#join();
    this.#replace(Buffer.alloc(0));
    return all;
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && this.#chunks.length === 1) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #replace(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
  }
}
