import type { Call } from '../call.ts';

/** The parts of a request target: which API, the path below its base without trailing slash, and the query text. */
export interface RequestTarget {
  readonly api: Call['api'];
  readonly path: string;
  readonly query: string;
}

export const basePaths = { client: '/edge/client/v1', management: '/edge/management/v1' } as const;

const prefixes = [
  [basePaths.client, 'client'],
  [basePaths.management, 'management'],
  ['/edge/v1', 'client'],
] as const;

/**
 * Splits a request target. Repeated slashes, `/./` and trailing slashes do not count; nothing is decoded.
 * A path without the base of an API belongs to the Client API.
 */
export function splitTarget(url: string): RequestTarget {
  const start = url.startsWith('/') ? 0 : pathStartOfAbsoluteForm(url);
  const mark = url.indexOf('?', start);
  const path = collapse(mark < 0 ? url.slice(start) : url.slice(start, mark));
  const query = mark < 0 ? '' : url.slice(mark + 1);
  for (const [base, api] of prefixes) {
    if (path.startsWith(base)) {
      if (path.length === base.length) return { api, path: '/', query };
      if (path[base.length] === '/') return { api, path: path.slice(base.length), query };
    }
  }
  return { api: 'client', path, query };
}

function pathStartOfAbsoluteForm(url: string): number {
  const scheme = /^https?:\/\/[^/?#]*/i.exec(url);
  return scheme ? scheme[0].length : 0;
}

function collapse(path: string): string {
  if (!path.includes('//') && !path.includes('/.') && !(path.length > 1 && path.endsWith('/'))) return path || '/';
  return `/${path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')}`;
}
