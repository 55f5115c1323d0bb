import { isNamed } from '../../errors/error-guards.ts';
import type { CookieRequest } from './cookie-request.ts';

/**
 * A form was not sent by a page of the application, or the browser did not say by whom. Nothing was done. Respond with 403.
 *
 * @example
 * const status = error instanceof EdgeCrossSiteError ? 403 : 500;
 */
export class EdgeCrossSiteError extends Error {
  override readonly name = 'EdgeCrossSiteError' as const;

  constructor({ headers }: CookieRequest, origin: string) {
    const [sender, site] = [headers.get('origin') ?? 'no origin', headers.get('sec-fetch-site') ?? 'unknown'];
    super(`the form must come from ${origin}; it came from ${sender} (Sec-Fetch-Site: ${site})`);
  }
}

/**
 * True for an `EdgeCrossSiteError`.
 *
 * @example
 * const response = new Response('Send the form from our own page.', { status: isEdgeCrossSiteError(error) ? 403 : 500 });
 */
export function isEdgeCrossSiteError(error: unknown): error is EdgeCrossSiteError {
  return isNamed(error, 'EdgeCrossSiteError');
}
