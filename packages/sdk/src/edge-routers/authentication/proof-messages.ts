import { randomBytes } from 'node:crypto';
import { streamHeaderLength } from '../secret-stream.ts';
import type { Transcript } from './signed-bytes.ts';

/** A stream header that ends with these bytes says that its sender can prove who it is. Other clients end it with random ones. */
const mark = Buffer.from('ec-proof');
const markAt = streamHeaderLength - mark.length;

/** What both ends of a connection send before any data, when both can prove who they are: each its stream header and one message. */
export class ProofMessages {
  readonly publicKeys: Transcript['publicKeys'];
  /** The stream header of this end. */
  readonly header = Buffer.concat([randomBytes(markAt), mark]);
  readonly #peerHeader = Promise.withResolvers<Uint8Array>();
  readonly #message = Promise.withResolvers<Uint8Array>();
  #isExpected = false;
  #isAgreed = false;

  constructor(publicKeys: Transcript['publicKeys']) {
    this.publicKeys = publicKeys;
    for (const promise of [this.peerHeader, this.message]) promise.catch(() => undefined);
  }

  /** The stream header of the other end. Rejects when the connection ends before. */
  get peerHeader(): Promise<Uint8Array> {
    return this.#peerHeader.promise;
  }

  /** The message of the other end. Rejects when the connection ends before. */
  get message(): Promise<Uint8Array> {
    return this.#message.promise;
  }

  /** Whether both ends can prove who they are, so that each sends its message, and seals the end of its data. */
  get isAgreed(): boolean {
    return this.#isAgreed;
  }

  takeHeader(header: Uint8Array): void {
    this.#isAgreed = mark.equals(header.subarray(markAt));
    this.#isExpected = this.#isAgreed;
    this.#peerHeader.resolve(Uint8Array.from(header));
  }

  /** Returns whether it was the message of the other end. Otherwise it is data. */
  take(message: Uint8Array): boolean {
    if (!this.#isExpected) return false;
    this.#isExpected = false;
    this.#message.resolve(message);
    return true;
  }

  fail(error: unknown): void {
    this.#peerHeader.reject(error);
    this.#message.reject(error);
  }
}
