import type { Middleware } from '../request-state.ts';

const headers = new Map([
  ['Strict-Transport-Security', 'max-age=31536000'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
]);

/** Headers of every response: no frames, no guessed content types, no cache, HTTPS only. */
export const securityHeaders: Middleware = (ctx, next) => {
  ctx.res.setHeaders(headers);
  return next();
};
