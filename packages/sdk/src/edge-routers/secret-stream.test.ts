import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import libsodium from 'libsodium-wrappers';
import { beforeAll, expect, test } from 'vitest';
import { SealError, SecretStream } from './secret-stream.ts';

beforeAll(() => libsodium.ready);

const bytes = (length: number) => Uint8Array.from({ length }, (_, at) => at);
const messages = fc.array(fc.uint8Array({ maxLength: 5_000, size: 'max' }), { maxLength: 12 });
/** Around the lengths at which another implementation seals, and of both paddings. */
const lengths = [0, 1, 7, 8, 15, 16, 63, 64, 65, 2_040, 2_047, 2_048, 2_049, 2_056, 32_767, 32_768];

test('seals as libsodium does', () => {
  const key = bytes(32);
  const { state, header } = libsodium.crypto_secretstream_xchacha20poly1305_init_push(key);
  const stream = new SecretStream(key, header);
  for (const length of lengths) {
    const message = randomBytes(length);
    const expected = libsodium.crypto_secretstream_xchacha20poly1305_push(state, message, null, 0);
    expect(Buffer.from(stream.seal(message)).equals(expected), `${length} bytes`).toBe(true);
  }
});

test('opens what libsodium has sealed, and the other way round, for any messages', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), messages, (key, sent) => {
      const { state, header } = libsodium.crypto_secretstream_xchacha20poly1305_init_push(key);
      const back = libsodium.crypto_secretstream_xchacha20poly1305_init_pull(header, key);
      const [opening, sealing] = [new SecretStream(key, header), new SecretStream(key, header)];
      for (const message of sent) {
        const sealed = libsodium.crypto_secretstream_xchacha20poly1305_push(state, message, null, 0);
        expect(Buffer.from(opening.open(sealed)).equals(message)).toBe(true);
        const pulled = libsodium.crypto_secretstream_xchacha20poly1305_pull(back, sealing.seal(message), null);
        expect(pulled ? pulled.tag : null).toBe(0);
        expect(pulled ? Buffer.from(pulled.message).equals(message) : false).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});

test.each([5, 4_096])('a message of %i bytes that was changed at any place is refused', (length) => {
  const [key, header] = [bytes(32), bytes(24)];
  const sealed = new SecretStream(key, header).seal(randomBytes(length));
  for (const at of [0, 1, length, sealed.length - 16, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => new SecretStream(key, header).open(changed)).toThrow(SealError);
  }
  expect(() => new SecretStream(bytes(32).reverse(), header).open(sealed)).toThrow(SealError);
});

test.each([5, 4_096])('messages of %i bytes come in their order, and once', (length) => {
  const [key, header] = [bytes(32), bytes(24)];
  const sealing = new SecretStream(key, header);
  const [first, second] = [sealing.seal(bytes(length)), sealing.seal(bytes(length))];
  expect(() => new SecretStream(key, header).open(second)).toThrow(SealError);
  const opening = new SecretStream(key, header);
  opening.open(first);
  expect(() => opening.open(first)).toThrow(SealError);
});

test.each([5, 4_096])('a tag that no message has is refused, with %i bytes', (length) => {
  const key = bytes(32);
  const { state, header } = libsodium.crypto_secretstream_xchacha20poly1305_init_push(key);
  const final = libsodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL;
  const sealed = libsodium.crypto_secretstream_xchacha20poly1305_push(state, bytes(length), null, final);
  expect(() => new SecretStream(key, header).open(sealed)).toThrow('the tag 3');
});

test('fewer bytes than a message has are refused', () => {
  expect(() => new SecretStream(bytes(32), bytes(24)).open(bytes(16))).toThrow('16 bytes are no message');
});

test('the end is sealed and opened as libsodium does, and nothing follows it', () => {
  const key = bytes(32);
  const { state, header } = libsodium.crypto_secretstream_xchacha20poly1305_init_push(key);
  const final = libsodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL;
  const sealed = libsodium.crypto_secretstream_xchacha20poly1305_push(state, bytes(0), null, final);
  expect(Buffer.from(new SecretStream(key, header).sealEnd()).equals(sealed)).toBe(true);
  const opening = new SecretStream(key, header);
  expect([opening.hasEnded, opening.open(sealed).length, opening.hasEnded]).toEqual([false, 0, true]);
  expect(() => opening.open(sealed)).toThrow('behind the end');
});
