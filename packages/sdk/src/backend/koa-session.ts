import type { EdgeSessionOptions } from './check-request.ts';
import { checkRequest } from './check-request.ts';
import type { SessionVerifier } from './create-session-verifier.ts';

/**
 * The part of a context of Koa that the middleware uses.
 *
 * @example
 * const tokenOf = (ctx: KoaSessionContext) => ctx.get(verifier.sessionHeader);
 */
export interface KoaSessionContext {
  readonly state: object;
  get(name: string): string;
  set(headers: Record<string, string>): void;
  vary(name: string): void;
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
    const { refusal, session } = await checkRequest(verifier, options, (name) => ctx.get(name));
    // A cache must not send the response for one user to another.
    ctx.vary(verifier.sessionHeader);
    if (refusal === undefined) {
      Object.assign(ctx.state, { edgeSession: session });
      await next();
      return;
    }
    ctx.status = refusal.status;
    ctx.set({ ...refusal.headers });
    ctx.body = refusal.body;
  };
}
