import type { Middleware } from '../request-state.ts';

const policy = [
  "default-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Headers of every response: no frames, no guessed content types, no cache, HTTPS only. */
export const safeHeaders = new Map([
  ['Strict-Transport-Security', 'max-age=31536000'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', policy.join('; ')],
  ['Referrer-Policy', 'no-referrer'],
]);

/** Sets `safeHeaders`; a page replaces its policy. */
export const securityHeaders: Middleware = (ctx, next) => {
  ctx.res.setHeaders(safeHeaders);
  return next();
};
