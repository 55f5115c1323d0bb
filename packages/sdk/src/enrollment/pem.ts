/** PEM of `der` with lines of 64 characters. */
export function toPem(label: string, der: Uint8Array): string {
  const text = btoa(Array.from(der, (byte) => String.fromCharCode(byte)).join(''));
  return `-----BEGIN ${label}-----\n${text.replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`;
}

/**
 * Decodes base64. White space is ignored.
 *
 * @throws TypeError. Its message does not quote the text.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text.replace(/\s/g, '')), (char) => char.charCodeAt(0));
  } catch {
    throw new TypeError('the text is not base64');
  }
}

/** DER of the first PEM block with this label, or `null`. */
export function fromPem(label: string, pem: string): Uint8Array<ArrayBuffer> | null {
  const [, body] = new RegExp(`-----BEGIN ${label}-----([^-]+)-----END ${label}-----`).exec(pem) ?? [];
  return body === undefined ? null : fromBase64(body);
}
