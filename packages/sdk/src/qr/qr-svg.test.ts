import decodeQR from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import { qrSvg } from './qr-svg.ts';

/** Pixels of a module. */
const scale = 4;

/** Draws the second path of the image, which has the dark modules, and reads it with a decoder. */
function scan(svg: string): string {
  const side = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]) * scale;
  const data = new Uint8Array(side * side * 4).fill(255);
  for (const [, ...run] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g)) {
    const [left = 0, top = 0, width = 0] = run.map((value) => Number(value) * scale);
    for (let y = top; y < top + scale; y += 1) {
      for (let x = left; x < left + width; x += 1) data.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3);
    }
  }
  return decodeQR({ width: side, height: side, data }, { timeLimit: 5_000 });
}

const provisioningUrl = (name: string) =>
  `otpauth://totp/${encodeURIComponent(`Edge Controller:${name}`)}?issuer=Edge%20Controller&secret=GEZDGNBVGY3TQOJQ`;

describe('qrSvg', () => {
  it.each([
    '',
    '0123456789',
    'HTTPS://LOCALHOST:1280',
    provisioningUrl('ada'),
    provisioningUrl('Zoë Müller-Lüdenscheidt'),
    provisioningUrl('山田 太郎 🔐'),
    provisioningUrl('an identity with a long name '.repeat(20)),
    'otpauth://totp/Édge:山田 太郎 🔐?secret=GEZDGNBVGY3TQOJQ',
    `x${'é'.repeat(1_165)}`,
  ])('draws an image that a decoder reads: %s', (text) => {
    expect(scan(qrSvg(text))).toBe(text);
  });

  it('draws texts of every length', () => {
    for (let length = 1; length < 300; length += 13) {
      const text = provisioningUrl('n'.repeat(length));
      expect(scan(qrSvg(text))).toBe(text);
    }
  });

  it('has a border of four modules', () => {
    const svg = qrSvg(provisioningUrl('ada'));
    const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
    const runs = [...svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g)].map(([, ...run]) => run.map(Number));
    expect(Math.min(...runs.flatMap(([x = 0, y = 0]) => [x, y]))).toBe(4);
    expect(Math.max(...runs.flatMap(([x = 0, y = 0, width = 0]) => [x + width, y + 1]))).toBe(size - 4);
  });

  it('is an image with a title and the colors of the caller, all of them escaped', () => {
    const svg = qrSvg('a', { title: '<script>alert("1")</script> & more', color: '"/><b>', background: "'navy'" });
    expect(svg).toContain('role="img"');
    expect(svg).toContain('<title>&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; more</title>');
    expect(svg).toContain('fill="&#34;/&#62;&#60;b&#62;"');
    expect(svg).toContain('fill="&#39;navy&#39;"');
    expect(svg).not.toMatch(/<script|<b>|style=/);
  });

  it('does not contain the text, which may be a secret', () => {
    expect(qrSvg(provisioningUrl('ada'))).not.toContain('GEZDGNBVGY3TQOJQ');
  });

  it('refuses a text that is too long', () => {
    expect(() => qrSvg('x'.repeat(2_332))).toThrow(RangeError);
  });
});
