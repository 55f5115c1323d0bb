import koaCors from '@koa/cors';
import type Koa from 'koa';
import compose from 'koa-compose';
import { ApiError } from '../../api-error.ts';
import type { Settings } from '../../config/schema.ts';
import type { Middleware } from '../request-state.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Cross-origin access for exactly the configured origins, without credentials. `null` is never an origin. A preflight
 * that asks for more than is allowed is refused (403).
 */
export function crossOrigin(settings: Pick<Settings, 'corsOrigins' | 'sessionHeaders'>): Middleware {
  const origins = new Set(settings.corsOrigins.filter((origin) => origin !== 'null'));
  if (origins.size === 0) return refusePreflight;
  const requestHeaders = ['content-type', 'accept', 'authorization', ...settings.sessionHeaders, 'mfa-validation-code'];
  const isGranted = (ctx: Koa.Context) => {
    const asked = ctx.get('Access-Control-Request-Headers').toLowerCase().split(',');
    const hasKnownHeaders = asked.every((name) => name.trim() === '' || requestHeaders.includes(name.trim()));
    const hasKnownMethod = ['', ...methods].includes(ctx.get('Access-Control-Request-Method'));
    return origins.has(ctx.get('Origin')) && (ctx.method !== 'OPTIONS' || (hasKnownHeaders && hasKnownMethod));
  };
  const cors = koaCors({
    origin: (ctx) => (isGranted(ctx) ? ctx.get('Origin') : ''),
    allowMethods: methods.join(', '),
    allowHeaders: requestHeaders.join(', '),
    exposeHeaders: [...settings.sessionHeaders, 'WWW-Authenticate', 'Retry-After', 'RateLimit-Remaining'].join(', '),
    maxAge: 600,
    keepHeadersOnError: false,
  });
  return compose([cors, refusePreflight]);
}

/** A preflight that comes so far was not granted. */
const refusePreflight: Middleware = (ctx, next) => {
  const isPreflight = ctx.method === 'OPTIONS' && ctx.get('Origin') && ctx.get('Access-Control-Request-Method');
  if (isPreflight) throw new ApiError('ORIGIN_NOT_ALLOWED');
  return next();
};
