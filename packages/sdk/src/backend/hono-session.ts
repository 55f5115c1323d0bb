import type { EdgeSessionOptions, Refusal } from './check-request.ts';
import { checkRequest } from './check-request.ts';
import type { SessionVerifier } from './create-session-verifier.ts';
import type { VerifiedSession } from './verified-session.ts';

/**
 * The part of a context of Hono that the middleware uses.
 *
 * @example
 * const refuse = (c: HonoSessionContext) => c.body('sign in first', 401);
 */
export interface HonoSessionContext {
  readonly req: { header(name: string): string | undefined };
  header(name: string, value: string, options?: { append?: boolean }): void;
  set(key: 'edgeSession', value: VerifiedSession | null): void;
  body(text: string, status: Refusal['status']): Response;
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
    const { refusal, session } = await checkRequest(verifier, options, (name) => c.req.header(name));
    if (refusal === undefined) {
      c.set('edgeSession', session);
      await next();
      // A cache must not send the response for one user to another.
      c.header('vary', verifier.sessionHeader, { append: true });
      return undefined;
    }
    for (const [name, value] of Object.entries(refusal.headers)) c.header(name, value);
    c.header('vary', verifier.sessionHeader, { append: true });
    return c.body(refusal.body, refusal.status);
  };
}
