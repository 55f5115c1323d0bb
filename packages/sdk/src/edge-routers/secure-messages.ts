import { randomBytes } from 'node:crypto';
import type { ProofMessages } from './authentication/proof-messages.ts';
import type { ConnectionKeys } from './key-exchange.ts';
import { SealError, SecretStream, streamHeaderLength } from './secret-stream.ts';

/** Encrypts and decrypts the messages of one connection. */
export class SecureMessages {
  /** The first message of this side. It is sent as it is. */
  readonly header: Uint8Array;
  /** `null`: this end proves nothing. */
  readonly proofs: ProofMessages | null;
  readonly #sent: SecretStream;
  readonly #key: Uint8Array;
  /** `undefined` until the header of the other end has come. */
  #received: SecretStream | undefined;

  constructor(keys: ConnectionKeys, proofs: ProofMessages | null = null) {
    this.proofs = proofs;
    this.header = proofs?.header ?? randomBytes(streamHeaderLength);
    this.#sent = new SecretStream(keys.send, this.header);
    this.#key = keys.receive;
  }

  /** Whether each side seals the end of its data, so that nobody else can end it. */
  get sealsEnds(): boolean {
    return this.proofs?.isAgreed ?? false;
  }

  /** Whether the sealed end of the other side has come. */
  get hasEnded(): boolean {
    return this.#received?.hasEnded ?? false;
  }

  encrypt(message: Uint8Array): Uint8Array {
    return this.#sent.seal(message);
  }

  encryptEnd(): Uint8Array {
    return this.#sent.sealEnd();
  }

  /**
   * Returns the data of a message. It is empty for those that have none: the header of the other end, its proof, and its sealed end.
   *
   * @throws SealError
   */
  decrypt(body: Uint8Array): Uint8Array {
    if (!this.#received) return this.#begin(body);
    const message = this.#received.open(body);
    if (this.hasEnded && !this.sealsEnds) throw new SealError('an end is sealed, which was not agreed');
    return this.proofs?.take(message) ? new Uint8Array() : message;
  }

  #begin(header: Uint8Array): Uint8Array {
    if (header.length !== streamHeaderLength) throw new SealError(`a stream begins with ${header.length} bytes`);
    this.#received = new SecretStream(this.#key, header);
    this.proofs?.takeHeader(header);
    return new Uint8Array();
  }
}
