import { RefusedHandshake } from './refused-handshake.ts';

/** The types of handshake messages that matter here (RFC 8446, section 4; RFC 5246, section 7.4). */
export const messageTypes = {
  clientHello: 1,
  serverHello: 2,
  encryptedExtensions: 8,
  certificate: 11,
  certificateRequest: 13,
  serverHelloDone: 14,
  finished: 20,
  compressedCertificate: 25,
} as const;

export interface Message {
  readonly type: number;
  readonly body: Buffer;
}

const headerLength = 4;

/** Joins the fragments of handshake messages. A message may have `limit` bytes. */
export class MessageReader {
  readonly #limit: number;
  #received: Buffer = Buffer.alloc(0);

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether a message has begun and is not complete. */
  get isPartial(): boolean {
    return this.#received.length > 0;
  }

  /** Returns the messages that this fragment completes. @throws RefusedHandshake when one is too long */
  read(fragment: Buffer): Message[] {
    if (fragment.length === 0) throw new RefusedHandshake('an empty record');
    this.#received = Buffer.concat([this.#received, fragment]);
    const messages: Message[] = [];
    while (this.#received.length >= headerLength) {
      const end = headerLength + this.#received.readUIntBE(1, 3);
      if (end > this.#limit) throw new RefusedHandshake(`a handshake message of ${end} bytes`);
      if (this.#received.length < end) break;
      messages.push({ type: this.#received[0] ?? 0, body: this.#received.subarray(headerLength, end) });
      this.#received = this.#received.subarray(end);
    }
    return messages;
  }
}
