import { addHeaders } from './response-headers.ts';
import type { EdgeSessionOptions, SessionVerifier } from './session-verifier.ts';
import type { PartialVerifiedSession, VerifiedSession } from './verified-session.ts';

/**
 * The part of a context of Hono that the middleware uses.
 *
 * @example
 * const refuse = (c: HonoSessionContext) => c.body('sign in first', 401);
 */
export interface HonoSessionContext {
  readonly req: { header(name: string): string | undefined };
  readonly res: { readonly headers: { get(name: string): string | null } };
  header(name: string, value: string): void;
  set(key: 'edgeSession', value: VerifiedSession | PartialVerifiedSession | null): void;
  body(text: string, status: 401 | 503): Response;
}

/**
 * Middleware for Hono. It sets `edgeSession` to the `VerifiedSession` of the request, and refuses requests without a
 * valid session: 401, or 503 when the controller cannot be asked. CORS middleware goes before it.
 *
 * @example
 * const app = new Hono<{ Variables: { edgeSession: VerifiedSession } }>();
 * app.use(honoSession(verifier));
 * app.get('/hello', (c) => c.text(`Hello ${c.get('edgeSession').identity.name}`));
 */
export function honoSession(
  verifier: SessionVerifier,
  options: EdgeSessionOptions = {},
): (c: HonoSessionContext, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (c, next) => {
    const request = { headers: { get: (name: string) => c.req.header(name) ?? null } };
    const { session, headers, response: refusal } = await verifier.verifyRequest(request, options);
    const add = (added: Iterable<readonly [string, string]>) =>
      addHeaders(added, { get: (name) => c.res.headers.get(name), set: (name, value) => c.header(name, value) });
    if (refusal === undefined) {
      c.set('edgeSession', session);
      await next();
      // After the handlers, because their response and other middleware may replace what was there before.
      add(Object.entries(headers));
      return undefined;
    }
    add(refusal.headers);
    return c.body(await refusal.text(), refusal.status === 401 ? 401 : 503);
  };
}
