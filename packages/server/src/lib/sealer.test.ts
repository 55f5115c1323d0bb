import { createHmac, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createHmacSha256, createSealer } from './sealer.ts';

it('signs with the HMAC of the standard, for texts of every length', () => {
  for (let length = 0; length < 300; length += 1) {
    const key = randomBytes(length % 65);
    const text = 'ä€'.repeat(length).slice(0, length);
    expect(createHmacSha256(key)(text)).toEqual(createHmac('sha256', key).update(text).digest());
  }
});

it('accepts a signature for its text and key only', () => {
  const [own, other] = [createSealer(Buffer.alloc(32, 1)), createSealer(Buffer.alloc(32, 2))];
  const signature = own.sign('text');
  expect(own.isSignature(signature, 'text')).toBe(true);
  expect(own.isSignature(signature, 'texts')).toBe(false);
  for (const wrong of ['', 'x', signature.slice(1), other.sign('text')])
    expect(own.isSignature(wrong, 'text')).toBe(false);
});
