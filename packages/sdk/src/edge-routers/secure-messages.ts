import { randomBytes } from 'node:crypto';
import type { ConnectionKeys } from './key-exchange.ts';
import { SealError, SecretStream, streamHeaderLength } from './secret-stream.ts';

/** Encrypts and decrypts the messages of one connection. */
export class SecureMessages {
  /** The first message of this side. It is sent as it is. */
  readonly header: Uint8Array;
  readonly #sent: SecretStream;
  readonly #key: Uint8Array;
  /** `undefined` until the header of the other end has come. */
  #received: SecretStream | undefined;

  constructor(keys: ConnectionKeys) {
    this.header = randomBytes(streamHeaderLength);
    this.#sent = new SecretStream(keys.send, this.header);
    this.#key = keys.receive;
  }

  encrypt(message: Uint8Array): Uint8Array {
    return this.#sent.seal(message);
  }

  /**
   * Returns the message, which is empty for the header of the other end.
   *
   * @throws SealError
   */
  decrypt(body: Uint8Array): Uint8Array {
    if (this.#received) return this.#received.open(body);
    if (body.length !== streamHeaderLength) throw new SealError(`a stream begins with ${body.length} bytes`);
    this.#received = new SecretStream(this.#key, body);
    return new Uint8Array();
  }
}
