import { encode } from 'uqr';

/**
 * How the QR code looks and what screen readers say.
 *
 * @example qrSvg('https://localhost:1280', { title: 'Address of the controller', color: 'navy' });
 */
export interface QrSvgOptions {
  /** What screen readers say. Browsers also show it as a tooltip. Default `QR code`. */
  readonly title?: string | undefined;
  /** CSS color of the modules. Scanners need dark modules on a light background. Default `#000`. */
  readonly color?: string | undefined;
  /** CSS color of the background. Default `#fff`. */
  readonly background?: string | undefined;
}

/** Width of the border in modules (ISO/IEC 18004, section 5.3.8). */
const quietZone = 4;

/**
 * Draws a text as a QR code and returns the markup of an SVG image. Use it for the `provisioningUrl` of
 * `edge.mfa.enroll()`. Nothing leaves the page.
 *
 * The image has no width and height: set them with CSS, 3 pixels or more for each module. It has no script and no inline
 * style, so that every Content-Security-Policy allows it in the page. As an `<img>` it needs `img-src data:`. The text is
 * UTF-8, with medium error correction or better. Whoever sees the image can read the text, also when the text is a
 * secret.
 *
 * @param text At most 2331 bytes of UTF-8.
 * @throws RangeError when the text is too long.
 * @example
 * const { provisioningUrl } = await edge.mfa.enroll();
 * output.innerHTML = qrSvg(provisioningUrl, { title: 'QR code for the authenticator app' });
 * image.src = `data:image/svg+xml,${encodeURIComponent(qrSvg(provisioningUrl))}`;
 */
export function qrSvg(text: string, options: QrSvgOptions = {}): string {
  const { title = 'QR code', color = '#000', background = '#fff' } = options;
  const { data, size } = encode([...new TextEncoder().encode(text)], { ecc: 'M', boostEcc: true, border: quietZone });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" role="img" shape-rendering="crispEdges">` +
    `<title>${escapeXml(title)}</title><path fill="${escapeXml(background)}" d="M0 0h${size}v${size}H0z"/>` +
    `<path fill="${escapeXml(color)}" d="${data.map(drawRow).join('')}"/></svg>`
  );
}

/** One rectangle for each run of dark modules. */
function drawRow(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x += 1) {
    const start = x;
    while (row[x]) x += 1;
    if (x > start) path += `M${start} ${y}h${x - start}v1H${start}z`;
  }
  return path;
}

function escapeXml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
