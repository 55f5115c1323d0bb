/** Returns a request target from its path on. It may be a whole URL (RFC 9112, 3.2.2), and any other text. */
export function withoutOrigin(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
}
