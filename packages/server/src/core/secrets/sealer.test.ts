import { createHmac, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createHmacSha256, createSealer, UnknownSealKey } from './sealer.ts';

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

it('names its key, opens what names none, and says which key it lacks', () => {
  const [own, other] = [createSealer(Buffer.alloc(32, 1)), createSealer(Buffer.alloc(32, 2))];
  const sealed = own.seal('secret', 'record');
  const [id = '', body = ''] = sealed.split('.');
  expect(id).toMatch(/^[\w-]{8}$/);
  expect(own.open(sealed, 'record')).toBe('secret');
  expect(own.open(body, 'record')).toBe('secret');
  expect(createSealer(Buffer.alloc(32, 1)).seal('another', 'place').split('.')[0]).toBe(id);
  expect(() => other.open(sealed, 'record')).toThrow(UnknownSealKey);
  expect(() => other.open(sealed, 'record')).toThrow(`sealed with the key "${id}"`);
  expect(() => own.open(sealed, 'another record')).toThrow(/auth/);
  for (const wrong of [`${id}.`, `${id}.${body.slice(4)}`, body.slice(4), `${id}.${id}.${body}`, '.', '', `.${body}`])
    expect(() => own.open(wrong, 'record'), wrong).toThrow();
});

it('opens what a version without ids has sealed', () => {
  const sealed = 'Sp_i1A5YE0g9dMbrAAndKG9ckg6Zm8GabinKF3hKvcBquw';
  expect(createSealer(Buffer.alloc(32, 1)).open(sealed, 'record')).toBe('secret');
});
