import { PNG } from 'pngjs';
import { encodeQR } from 'qr';

/** Pixels per side. */
const side = 256;
/** Width of the white border in modules (ISO/IEC 18004, section 5.3.8). */
const quietZone = 4;
const black = 0;
const white = 255;

/** Returns a QR code as PNG: 256×256 pixels, black on white, medium error correction. */
export function qrCode(text: string): Uint8Array {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: quietZone });
  const scale = Math.floor(side / modules.length);
  const margin = Math.floor((side - modules.length * scale) / 2);
  const image = new PNG({ width: side, height: side, inputColorType: 0, inputHasAlpha: false });
  image.data = Buffer.alloc(side * side, white);
  modules.forEach((row, y) => {
    row.forEach((isDark, x) => {
      if (!isDark) return;
      for (let line = 0; line < scale; line += 1) {
        const start = (margin + y * scale + line) * side + margin + x * scale;
        image.data.fill(black, start, start + scale);
      }
    });
  });
  return PNG.sync.write(image, { colorType: 0, inputColorType: 0, inputHasAlpha: false });
}
