import { createCipheriv, createDecipheriv, createSecretKey, hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { takeRandom } from './random-bytes.ts';

/** Protects values for storage. */
export interface Sealer {
  /**
   * Encrypts a value (AES-256-GCM). `context` binds the value to its record: `open` throws with another context. The result names
   * the key, so that it can be replaced some day.
   */
  seal(text: string, context: string): string;
  /** @throws UnknownSealKey when another key has sealed the value */
  open(sealed: string, context: string): string;
  /** Signs a text that need not be secret (HMAC-SHA256, base64url). This costs half as much as encryption. */
  sign(text: string): string;
  isSignature(signature: string, text: string): boolean;
}

const ivLength = 12;
const tagLength = 16;
/** Bytes. */
const idLength = 6;

/** A text that another key has sealed. */
export class UnknownSealKey extends Error {
  override readonly name = 'UnknownSealKey';
}

/** `key` has 32 bytes. */
export function createSealer(key: Buffer): Sealer {
  // With key objects, Node does not convert the key at every use, which would take much longer than the rest.
  const sealingKey = createSecretKey(key);
  const id = Buffer.from(hkdfSync('sha256', key, '', 'id', idLength)).toString('base64url');
  const digestOf = createHmacSha256(Buffer.from(hkdfSync('sha256', key, '', 'signature', 32)));
  return {
    seal(text, context) {
      const iv = takeRandom(ivLength);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${id}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, context) {
      const bytes = Buffer.from(withoutId(sealed, id), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, bytes.subarray(0, ivLength), {
        authTagLength: tagLength,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
      return decipher.update(bytes.subarray(ivLength + tagLength), undefined, 'utf8') + decipher.final('utf8');
    },
    sign: (text) => digestOf(text).toString('base64url'),
    isSignature(signature, text) {
      const digest = digestOf(text);
      const given = Buffer.from(signature, 'base64url');
      return given.length === digest.length && timingSafeEqual(given, digest);
    },
  };
}

/** Texts that an earlier version has sealed name no key. */
function withoutId(sealed: string, own: string): string {
  const end = sealed.indexOf('.');
  if (end === -1) return sealed;
  const id = sealed.slice(0, end);
  if (id === own) return sealed.slice(end + 1);
  throw new UnknownSealKey(`sealed with the key ${JSON.stringify(id.slice(0, 20))}, and the key here is "${own}"`);
}

/**
 * HMAC-SHA256 (RFC 2104) with a key of at most 64 bytes. `createHmac` makes an object that the garbage collector must
 * finalize, and every request verifies a signature.
 */
export function createHmacSha256(key: Buffer): (text: string) => Buffer {
  const block = Buffer.alloc(64);
  key.copy(block);
  const padded = (pad: number) => Buffer.from(block.map((byte) => byte ^ pad));
  const [inner, outer] = [padded(0x36), padded(0x5c)];
  return (text) => {
    const digest = hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer');
    return hash('sha256', Buffer.concat([outer, digest]), 'buffer');
  };
}
