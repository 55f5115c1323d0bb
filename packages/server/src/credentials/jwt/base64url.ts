/**
 * Decodes base64url (RFC 4648, section 5) in its canonical form: no padding, no white space, unused bits zero. Returns `null`
 * for anything else, and for an empty text.
 */
export function decodeBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text ? bytes : null;
}
