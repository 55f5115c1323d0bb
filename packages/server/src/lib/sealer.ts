import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts values for storage (AES-256-GCM). */
export interface Sealer {
  /** `context` binds the value to its record: `open` throws with another context. */
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
}

const ivLength = 12;
const tagLength = 16;

/** `key` has 32 bytes. */
export function createSealer(key: Buffer): Sealer {
  return {
    seal(text, context) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivLength), { authTagLength: tagLength })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
      return decipher.update(bytes.subarray(ivLength + tagLength), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
