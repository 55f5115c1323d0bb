import type { Middleware } from '../request-state.ts';

const headers = {
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

/** Headers of every response: nothing here is to be framed, guessed, cached or sent in clear. */
export const securityHeaders: Middleware = (ctx, next) => {
  ctx.set(headers);
  return next();
};
