import koaCors from '@koa/cors';
import type Koa from 'koa';
import compose from 'koa-compose';
import { ApiError } from '../../core/api-error.ts';
import type { Settings } from '../../core/config/schema.ts';
import type { Middleware } from '../request-state.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Cross-origin access for exactly the configured origins, without credentials. `null` is never an origin. A preflight
 * that asks for more than is allowed is refused (403).
 */
export function crossOrigin(settings: Pick<Settings, 'corsOrigins' | 'sessionHeaders'>): Middleware {
  const origins = new Set(settings.corsOrigins.filter((origin) => origin !== 'null'));
  if (origins.size === 0) return otherOptions;
  const requestHeaders = [
    ...['content-type', 'accept', 'authorization', ...settings.sessionHeaders, 'mfa-validation-code'],
    ...['session-token', 'traceparent', 'tracestate'],
  ];
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
    exposeHeaders: [
      ...settings.sessionHeaders,
      ...['WWW-Authenticate', 'Retry-After', 'RateLimit-Remaining', 'svc-session-expires-in'],
    ].join(', '),
    maxAge: 600,
    keepHeadersOnError: false,
  });
  return compose([cors, otherOptions]);
}

/** An OPTIONS that reaches this is not an allowed preflight. Without an origin it is 200 on every path, as on the wire. */
const otherOptions: Middleware = (ctx, next) => {
  if (ctx.method !== 'OPTIONS') return next();
  if (ctx.get('Origin')) throw new ApiError('ORIGIN_NOT_ALLOWED');
  // Nobody reads the body, if there is one.
  if (ctx.is() !== null) ctx.set('Connection', 'close');
  ctx.body = '';
  return ctx.remove('Content-Type');
};
