import type { Version } from './certificate-message.ts';
import { maxChainBytes, readCertificates } from './certificate-message.ts';
import { checkWork } from './check-work.ts';
import type { Message } from './message-reader.ts';
import { MessageReader, messageTypes } from './message-reader.ts';
import { RecordCipher } from './record-cipher.ts';
import type { TlsRecord } from './record-reader.ts';
import { contentTypes, RecordReader } from './record-reader.ts';
import { RefusedHandshake } from './refused-handshake.ts';

export type Side = 'client' | 'server';

/** Bytes that OpenSSL may get now. */
export interface Passed {
  readonly bytes: Buffer;
  /** Milliseconds that the certificates in it take OpenSSL at most. */
  readonly work: number;
}

/** A handshake message: the largest has all certificates, with a little around each. */
const maxMessage = maxChainBytes + 4_096;
/** A second one follows when the server asks for another key share (RFC 8446, section 4.1.4). */
const maxHellos = 2;
const hellos = { client: messageTypes.clientHello, server: messageTypes.serverHello } as const;
/** Bytes that pass at once: all certificates, and the messages behind them. */
const maxBuffered = maxMessage + 32_768;
/** What ends the messages behind the certificates, where it can be read. */
const last: readonly number[] = [messageTypes.finished, messageTypes.serverHelloDone];
/** What a server may send between its hello and its certificates, encrypted. */
const beforeCertificate: readonly number[] = [messageTypes.encryptedExtensions, messageTypes.certificateRequest];

/**
 * Reads what one side of a TLS handshake sends, up to its certificates. The certificates pass only when OpenSSL can verify them
 * in the allowed time. They pass together with the messages behind them: OpenSSL fails when it has to wait after a chain that
 * it could not verify. TLS 1.3 encrypts the certificates, so they wait for the secret of the handshake, which Node shows in its
 * key log.
 */
export class PeerFlight {
  readonly #side: Side;
  readonly #records = new RecordReader();
  readonly #messages = new MessageReader(maxMessage);
  #cipher: RecordCipher | null = null;
  #waiting: TlsRecord | null = null;
  #buffered: Buffer[] = [];
  #bufferedBytes = 0;
  /** The certificates whose flight is not complete. */
  #found: readonly Buffer[] | null = null;
  #isCipherChanged = false;
  #hellos = 0;
  #clientRandom: string | undefined;
  #certificates: readonly Buffer[] | null = null;
  #work = 0;

  /** `side`: whose bytes these are. */
  constructor(side: Side) {
    this.#side = side;
  }

  /** What names the connection in the key log, once the client has said it. */
  get clientRandom(): string | undefined {
    return this.#clientRandom;
  }

  /** The certificates once they have passed: the leaf first, the others as they were sent. Empty when none was sent. */
  get certificates(): readonly Buffer[] | null {
    return this.#certificates;
  }

  /** Whether a record waits for the secret. */
  get needsSecret(): boolean {
    return this.#waiting !== null;
  }

  /** Takes the handshake traffic secret of this side, and the name of the cipher suite. */
  decryptWith(secret: Buffer, suite: string): void {
    this.#cipher ??= new RecordCipher(secret, suite);
  }

  add(chunk: Buffer): void {
    this.#records.add(chunk);
  }

  /**
   * Returns the bytes that may pass now; `null` while more bytes or the secret are missing. Once `certificates` is set, all
   * later bytes may pass.
   *
   * @throws RefusedHandshake when OpenSSL must not get it
   */
  next(): Passed | null {
    while (this.#certificates === null) {
      const record = this.#waiting ?? this.#records.next();
      this.#waiting = null;
      if (record === null) return null;
      if (record.type === contentTypes.applicationData && this.#cipher === null) {
        this.#waiting = record;
        return null;
      }
      this.#buffer(record);
      this.#read(record);
      const isWhole = this.#found === null && !this.#messages.isPartial;
      if (this.#certificates !== null || isWhole) return this.#pass();
    }
    const bytes = this.#records.rest();
    return bytes.length > 0 ? { bytes, work: 0 } : null;
  }

  #buffer({ raw }: TlsRecord): void {
    this.#buffered.push(raw);
    this.#bufferedBytes += raw.length;
    if (this.#bufferedBytes > maxBuffered) throw new RefusedHandshake(`${this.#bufferedBytes} bytes of certificates`);
  }

  #pass(): Passed {
    const bytes = Buffer.concat(this.#buffered);
    this.#buffered = [];
    this.#bufferedBytes = 0;
    return { bytes, work: this.#work };
  }

  #read(record: TlsRecord): void {
    if (this.#isCipherChanged) {
      // In TLS 1.2 this is the last message of the flight, which is encrypted.
      this.#certificates = this.#found;
      return;
    }
    const isEncrypted = record.type === contentTypes.applicationData;
    const { type, content } =
      isEncrypted && this.#cipher ? this.#cipher.decrypt(record) : { type: record.type, content: record.body };
    if (type === contentTypes.handshake) {
      for (const message of this.#messages.read(content)) this.#readMessage(message, isEncrypted);
      return;
    }
    // An alert ends the handshake. A change of the cipher means nothing in TLS 1.3, and in TLS 1.2 it follows the certificates.
    const isHarmless = type === contentTypes.alert || type === contentTypes.changeCipherSpec;
    if (!isHarmless || this.#messages.isPartial) throw new RefusedHandshake(`a record of type ${type}`);
    if (type === contentTypes.alert && this.#found !== null) throw new RefusedHandshake('an alert');
    this.#isCipherChanged = type === contentTypes.changeCipherSpec && this.#found !== null;
  }

  #readMessage({ type, body }: Message, isEncrypted: boolean): void {
    if (this.#certificates !== null) return;
    if (this.#found !== null) {
      if (last.includes(type)) this.#certificates = this.#found;
    } else if (type === messageTypes.certificate) {
      if (this.#hellos === 0) throw new RefusedHandshake('certificates before the hello');
      const version: Version = isEncrypted ? 'TLSv1.3' : 'TLSv1.2';
      const certificates = readCertificates(body, version);
      this.#work = checkWork(certificates);
      this.#found = certificates;
    } else if (isEncrypted) {
      if (this.#side !== 'server' || !beforeCertificate.includes(type)) this.#end(type);
    } else if (type === hellos[this.#side] && this.#hellos < maxHellos) {
      this.#hellos += 1;
      if (type === messageTypes.clientHello) this.#clientRandom = body.subarray(2, 34).toString('hex');
    } else this.#end(type);
  }

  /** Another message came instead of the certificates: the peer sends none. */
  #end(type: number): void {
    if (this.#hellos === 0 || type === messageTypes.compressedCertificate) {
      throw new RefusedHandshake(`a handshake message of type ${type}`);
    }
    this.#certificates = [];
  }
}
