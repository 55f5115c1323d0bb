import { PNG } from 'pngjs';
import decodeQR from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import { qrCode } from './qr-code.ts';

describe('the QR code', () => {
  it.each([60, 150, 400, 1_000, 2_300])(
    'is a PNG of 256 × 256 pixels that a decoder can read: %i characters',
    (length) => {
      const text = `otpauth://totp/${'a%20'.repeat(length / 4)}`.slice(0, length);
      const image = PNG.sync.read(Buffer.from(qrCode(text)));
      expect([image.width, image.height]).toEqual([256, 256]);
      expect(decodeQR({ width: 256, height: 256, data: image.data }, { timeLimit: 5_000 })).toBe(text);
    },
  );

  it('is black on white with a white border', () => {
    const { data } = PNG.sync.read(Buffer.from(qrCode('otpauth://totp/Edge:anna?issuer=Edge&secret=ABC')));
    const pixel = (x: number, y: number) => [...data.subarray((y * 256 + x) * 4, (y * 256 + x) * 4 + 4)];
    const shades = new Set(Array.from({ length: 256 * 256 }, (_, at) => pixel(at % 256, at >> 8).join()));
    expect(shades).toEqual(new Set(['0,0,0,255', '255,255,255,255']));
    for (let at = 0; at < 256; at += 1) {
      for (const [x, y] of [
        [at, 0],
        [0, at],
        [at, 255],
        [255, at],
      ] as const) {
        expect(pixel(x, y)).toEqual([255, 255, 255, 255]);
      }
    }
  });
});
