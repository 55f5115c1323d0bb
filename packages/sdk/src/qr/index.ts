export { type QrSvgOptions, qrSvg } from './qr-svg.ts';
