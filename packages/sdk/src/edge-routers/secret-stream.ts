import type { KeyObject } from 'node:crypto';
import { createCipheriv, createDecipheriv, createSecretKey, timingSafeEqual } from 'node:crypto';
import { poly1305 } from '@noble/ciphers/_poly1305.js';
import { chacha20, hchacha } from '@noble/ciphers/chacha.js';

/** Bytes with which a stream begins. They are not secret. */
export const streamHeaderLength = 24;
/** Bytes that a message becomes longer: its tag and its MAC. */
export const sealLength = 17;

const macLength = 16;
/** Tags of libsodium. A message with the second one is the last of its stream. */
const [messageTag, finalTag] = [0, 3] as const;
/** A tag is encrypted as a block of this length, of which only the first byte is sent. */
const blockLength = 64;
const algorithm = 'chacha20-poly1305';
const expand32ByteK = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);
/** For a shorter message, a cipher of OpenSSL takes longer to create than all the rest takes. */
const minForOpenssl = 2_048;

/** A message that was changed, or that another key has sealed. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/**
 * One direction of `crypto_secretstream_xchacha20poly1305` of libsodium, without associated data. Messages have the tag 0, and the end of
 * a stream that has one has the tag 3.
 *
 * Its cipher is that of RFC 8439, with the block of the tag before the message, except that it pads the message before the MAC with
 * as many zeros as its last block has bytes. Where that is what the RFC asks for, OpenSSL does it all, which is five
 * times as fast.
 */
export class SecretStream {
  readonly #key: Uint8Array;
  /** The same key. With bytes, each cipher would make one of these, which takes as long as to encrypt 10 KB. */
  #keyObject: KeyObject | undefined;
  /** A counter of 32 bits, little-endian, and 8 bytes that each message changes. */
  readonly #nonce = new Uint8Array(12);
  readonly #counter = new DataView(this.#nonce.buffer);
  #hasEnded = false;

  constructor(key: Uint8Array, header: Uint8Array) {
    this.#key = subkey(key, header.subarray(0, 16));
    this.#nonce.set(header.subarray(16), 4);
    this.#counter.setUint32(0, 1, true);
  }

  /** Whether `open` has read the end. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  seal(message: Uint8Array): Uint8Array {
    const sealed = Buffer.allocUnsafe(message.length + sealLength);
    if (suitsOpenssl(message.length)) this.#sealWithOpenssl(message, sealed);
    else this.#seal(message, sealed, messageTag);
    this.#step(sealed.subarray(-macLength));
    return sealed;
  }

  /** Seals the end. Nothing may follow. */
  sealEnd(): Uint8Array {
    const sealed = Buffer.allocUnsafe(sealLength);
    this.#seal(new Uint8Array(), sealed, finalTag);
    return sealed;
  }

  /**
   * The message, which is empty for the end.
   *
   * @throws SealError
   */
  open(sealed: Uint8Array): Uint8Array {
    const length = sealed.length - sealLength;
    if (this.#hasEnded) throw new SealError('a message comes behind the end');
    if (length < 0) throw new SealError(`${sealed.length} bytes are no message`);
    const message = suitsOpenssl(length) ? this.#openWithOpenssl(sealed) : this.#open(sealed);
    this.#step(sealed.subarray(-macLength));
    return message;
  }

  #opensslKey(): KeyObject {
    this.#keyObject ??= createSecretKey(this.#key);
    return this.#keyObject;
  }

  #sealWithOpenssl(message: Uint8Array, sealed: Uint8Array): void {
    const cipher = createCipheriv(algorithm, this.#opensslKey(), this.#nonce, { authTagLength: macLength });
    sealed.set(cipher.update(new Uint8Array(blockLength)).subarray(0, 1));
    sealed.set(cipher.update(message), 1);
    cipher.final();
    sealed.set(cipher.getAuthTag(), 1 + message.length);
  }

  #openWithOpenssl(sealed: Uint8Array): Uint8Array {
    const block = this.#keystream(new Uint8Array(2 * blockLength)).subarray(blockLength);
    const tag = (block[0] ?? 0) ^ (sealed[0] ?? 0);
    block[0] = sealed[0] ?? 0;
    const decipher = createDecipheriv(algorithm, this.#opensslKey(), this.#nonce, { authTagLength: macLength });
    decipher.setAuthTag(sealed.subarray(-macLength));
    decipher.update(block);
    const message = decipher.update(sealed.subarray(1, -macLength));
    try {
      decipher.final();
    } catch {
      throw damaged();
    }
    this.#checkTag(tag, message);
    return message;
  }

  #seal(message: Uint8Array, sealed: Uint8Array, tag: number): void {
    const blocks = new Uint8Array(2 * blockLength + message.length);
    blocks[blockLength] = tag;
    blocks.set(message, 2 * blockLength);
    const encrypted = this.#keystream(blocks);
    sealed.set(encrypted.subarray(blockLength, blockLength + 1));
    sealed.set(encrypted.subarray(2 * blockLength), 1);
    sealed.set(macOf(encrypted.subarray(0, 32), encrypted.subarray(blockLength)), 1 + message.length);
  }

  #open(sealed: Uint8Array): Uint8Array {
    const blocks = new Uint8Array(2 * blockLength + sealed.length - sealLength);
    blocks.set(sealed.subarray(1, -macLength), 2 * blockLength);
    const decrypted = this.#keystream(blocks);
    const tag = (decrypted[blockLength] ?? 0) ^ (sealed[0] ?? 0);
    blocks.set(decrypted.subarray(blockLength, 2 * blockLength), blockLength);
    blocks[blockLength] = sealed[0] ?? 0;
    const mac = macOf(decrypted.subarray(0, 32), blocks.subarray(blockLength));
    if (!timingSafeEqual(mac, sealed.subarray(-macLength))) throw damaged();
    const message = decrypted.subarray(2 * blockLength);
    this.#checkTag(tag, message);
    return message;
  }

  #checkTag(tag: number, { length }: Uint8Array): void {
    this.#hasEnded = tag === finalTag && length === 0;
    if (tag !== messageTag && !this.#hasEnded) throw new SealError(`a message has the tag ${tag}, which nobody uses`);
  }

  /** Encrypts or decrypts these bytes. Zeros become the keystream: its first block has the key of the MAC. */
  #keystream(bytes: Uint8Array): Uint8Array {
    return chacha20(this.#key, this.#nonce, bytes);
  }

  #step(mac: Uint8Array): void {
    for (let at = 0; at < 8; at += 1) this.#nonce[4 + at] = (this.#nonce[4 + at] ?? 0) ^ (mac[at] ?? 0);
    const next = this.#counter.getUint32(0, true) + 1;
    // Here libsodium would go on with another key, and existing clients do not.
    if (next > 0xffffffff) throw new SealError('a stream has too many messages');
    this.#counter.setUint32(0, next, true);
  }
}

/** Whether libsodium and the RFC pad a message of this length in the same way. */
function suitsOpenssl(length: number): boolean {
  return length % 8 === 0 && length >= minForOpenssl;
}

/** HChaCha20 of the key (draft-irtf-cfrg-xchacha, section 2.2). */
function subkey(key: Uint8Array, input: Uint8Array): Uint8Array {
  const words = new Uint32Array(8);
  hchacha(expand32ByteK, wordsOf(key), wordsOf(input), words);
  return bytesOf(words);
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(4 * at, true));
}

function bytesOf(words: Uint32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * words.length));
  for (const [at, word] of words.entries()) view.setUint32(4 * at, word, true);
  return new Uint8Array(view.buffer);
}

/** `encrypted`: the block of the tag and the message. */
function macOf(key: Uint8Array, encrypted: Uint8Array): Uint8Array {
  const padding = encrypted.length % 16;
  const end = new Uint8Array(padding + 16);
  new DataView(end.buffer).setBigUint64(padding + 8, BigInt(encrypted.length), true);
  return poly1305.create(key).update(encrypted).update(end).digest();
}

const damaged = () => new SealError('a message was changed, or another key has sealed it');
