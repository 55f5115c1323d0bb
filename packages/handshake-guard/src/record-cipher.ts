import type { CipherGCMTypes } from 'node:crypto';
import { createDecipheriv, createHmac } from 'node:crypto';
import type { TlsRecord } from './record-reader.ts';
import { headerLength } from './record-reader.ts';
import { RefusedHandshake } from './refused-handshake.ts';

interface Suite {
  readonly cipher: CipherGCMTypes | 'chacha20-poly1305';
  readonly hash: 'sha256' | 'sha384';
  readonly keyLength: number;
}

/** The cipher suites of TLS 1.3 that the controller speaks (RFC 8446, appendix B.4). */
const suites: Readonly<Record<string, Suite>> = {
  TLS_AES_128_GCM_SHA256: { cipher: 'aes-128-gcm', hash: 'sha256', keyLength: 16 },
  TLS_AES_256_GCM_SHA384: { cipher: 'aes-256-gcm', hash: 'sha384', keyLength: 32 },
  TLS_CHACHA20_POLY1305_SHA256: { cipher: 'chacha20-poly1305', hash: 'sha256', keyLength: 32 },
};
const nonceLength = 12;
const authTagLength = 16;

/** Decrypts the records of one side of a TLS 1.3 handshake, in the order in which they were sent (RFC 8446, section 5). */
export class RecordCipher {
  readonly #suite: Suite;
  readonly #key: Buffer;
  readonly #iv: Buffer;
  #sequence = 0;

  /** `secret`: the handshake traffic secret of that side. `suite`: the name of the cipher suite. */
  constructor(secret: Buffer, suite: string) {
    const known = suites[suite];
    if (!known) throw new RefusedHandshake(`the cipher suite ${suite}`);
    this.#suite = known;
    this.#key = expand(secret, { hash: known.hash, label: 'key', length: known.keyLength });
    this.#iv = expand(secret, { hash: known.hash, label: 'iv', length: nonceLength });
  }

  /** Returns the type and the content inside the record. @throws RefusedHandshake when its tag is wrong */
  decrypt({ raw, body }: TlsRecord): { readonly type: number; readonly content: Buffer } {
    const { cipher, keyLength } = this.#suite;
    if (body.length <= authTagLength || this.#key.length !== keyLength) throw new RefusedHandshake('a short record');
    const end = body.length - authTagLength;
    const decipher = createDecipheriv(cipher as CipherGCMTypes, this.#key, this.#nextNonce(), { authTagLength });
    decipher.setAAD(raw.subarray(0, headerLength)).setAuthTag(body.subarray(end));
    try {
      return withoutPadding(Buffer.concat([decipher.update(body.subarray(0, end)), decipher.final()]));
    } catch {
      throw new RefusedHandshake('a record that cannot be decrypted');
    }
  }

  /** RFC 8446, section 5.3. */
  #nextNonce(): Buffer {
    const nonce = Buffer.from(this.#iv);
    const last = nonceLength - 4;
    nonce.writeUInt32BE((nonce.readUInt32BE(last) ^ this.#sequence) >>> 0, last);
    this.#sequence += 1;
    return nonce;
  }
}

/** The last byte that is not zero is the type; zeros behind it are padding (RFC 8446, section 5.2). */
function withoutPadding(plain: Buffer) {
  let end = plain.length;
  while (end > 0 && plain[end - 1] === 0) end -= 1;
  return { type: plain[end - 1] ?? 0, content: plain.subarray(0, Math.max(end - 1, 0)) };
}

interface Expansion {
  readonly hash: string;
  readonly label: string;
  /** Bytes; at most one output of the hash. */
  readonly length: number;
}

/** HKDF-Expand-Label with an empty context (RFC 8446, section 7.1). `node:crypto` has no HKDF without its extract step. */
function expand(secret: Buffer, { hash, label, length }: Expansion): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])]);
  return createHmac(hash, secret).update(info).digest().subarray(0, length);
}
