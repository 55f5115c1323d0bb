import { addHeaders } from './response-headers.ts';
import type { EdgeSessionOptions, SessionVerifier } from './session-verifier.ts';

/**
 * The part of a context of Koa that the middleware uses.
 *
 * @example
 * const tokenOf = (ctx: KoaSessionContext) => ctx.get(verifier.sessionHeader);
 */
export interface KoaSessionContext {
  readonly state: object;
  get(name: string): string;
  set(name: string, value: string): void;
  readonly response: { get(name: string): unknown };
  status: number;
  body: unknown;
}

/**
 * Middleware for Koa. It sets `ctx.state.edgeSession` to the `VerifiedSession` of the request, and refuses requests
 * without a valid session: 401, or 503 when the controller cannot be asked. CORS middleware goes before it.
 *
 * @example
 * const app = new Koa<{ edgeSession: VerifiedSession }>();
 * app.use(koaSession(verifier));
 * app.use((ctx) => {
 *   ctx.body = `Hello ${ctx.state.edgeSession.identity.name}`;
 * });
 */
export function koaSession(
  verifier: SessionVerifier,
  options: EdgeSessionOptions = {},
): (ctx: KoaSessionContext, next: () => Promise<unknown>) => Promise<void> {
  return async (ctx, next) => {
    const request = { headers: { get: (name: string) => ctx.get(name) } };
    const { session, headers, response: refusal } = await verifier.verifyRequest(request, options);
    const add = (added: Iterable<readonly [string, string]>) =>
      addHeaders(added, { get: (name) => ctx.response.get(name), set: (name, value) => ctx.set(name, value) });
    if (refusal === undefined) {
      Object.assign(ctx.state, { edgeSession: session });
      add(Object.entries(headers));
      await next();
      // A later middleware may have replaced them.
      add(Object.entries(headers));
      return;
    }
    ctx.status = refusal.status;
    add(refusal.headers);
    ctx.body = await refusal.text();
  };
}
