import type { IncomingMessage } from 'node:http';
import type { Settings } from '../config/schema.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export interface Cors {
  /** Headers, name after value, that the answer to this request carries. */
  headers(request: IncomingMessage): readonly string[];
  /** Headers of a granted preflight, `null` for a refused one, `undefined` when the request is no preflight. */
  preflight(request: IncomingMessage): readonly string[] | null | undefined;
}

/** Cross-origin access for exactly the configured origins, without credentials. `null` is never an origin. */
export function createCors(settings: Pick<Settings, 'corsOrigins' | 'sessionHeaders'>): Cors {
  const origins = new Set(settings.corsOrigins.filter((origin) => origin !== 'null'));
  const requestHeaders = ['content-type', 'accept', 'authorization', ...settings.sessionHeaders, 'mfa-validation-code'];
  const exposed = [...settings.sessionHeaders, 'WWW-Authenticate', 'Retry-After', 'RateLimit-Remaining'].join(', ');
  const vary = origins.size === 0 ? [] : ['Vary', 'Origin'];
  const isAllowed = (request: IncomingMessage) => origins.has(request.headers.origin ?? '');
  return {
    headers: (request) =>
      request.headers.origin === undefined || !isAllowed(request)
        ? vary
        : [...vary, 'Access-Control-Allow-Origin', request.headers.origin, 'Access-Control-Expose-Headers', exposed],
    preflight(request) {
      const method = request.headers['access-control-request-method'];
      if (request.method !== 'OPTIONS' || request.headers.origin === undefined || method === undefined)
        return undefined;
      const asked = (request.headers['access-control-request-headers'] ?? '').toString().toLowerCase().split(',');
      const known = asked.every((name) => name.trim() === '' || requestHeaders.includes(name.trim()));
      if (!isAllowed(request) || !methods.includes(method) || !known) return null;
      return [
        'Access-Control-Allow-Methods',
        methods.join(', '),
        'Access-Control-Allow-Headers',
        requestHeaders.join(', '),
        'Access-Control-Max-Age',
        '600',
      ];
    },
  };
}
