/**
 * What cookie sessions read of a request. A `Request` has it, and a framework that gives only headers can make one.
 *
 * @example
 * const request: CookieRequest = { method: 'GET', headers: await headers() }; // in a server component of Next
 * const { session } = await sessions.read(request);
 */
export interface CookieRequest {
  readonly method: string;
  readonly headers: {
    /** The value of a header. Several are joined with a comma. */
    get(name: string): string | null;
  };
}

/**
 * Whether a request may change something and was not sent by a page of the application. A cookie alone proves nothing then:
 * browsers send it with the form of another site, too.
 */
export function isCrossSiteWrite({ method, headers }: CookieRequest, origin: string): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const sender = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  // Older browsers have no Sec-Fetch-Site, and a page without a referrer has the origin `null`.
  if (site === null) return sender !== origin;
  return site !== 'same-origin' || (sender !== null && sender !== 'null' && sender !== origin);
}
