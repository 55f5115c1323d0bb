import type { Middleware } from '../request-state.ts';
import { unknownPath } from '../unknown-path.ts';
import { withoutOrigin } from '../without-origin.ts';
import { wrongMethod } from '../wrong-method.ts';
import type { OperationsOptions, SurfaceName } from './routers.ts';
import { basePaths, createRouters } from './routers.ts';

/** Every operation of all APIs. Other paths go to the middleware behind it; 404 when none of it responds. */
export function operations(options: OperationsOptions): Middleware {
  const routers = {
    client: createRouters('client', options),
    management: createRouters('management', options),
    fabric: createRouters('fabric', options),
  };
  return (ctx, next) => {
    const url = withoutOrigin(ctx.url);
    if (url !== ctx.url) ctx.url = url;
    const { api, path } = splitPath(url);
    const end = path.indexOf('/', 1);
    const found = routers[api].get(end < 0 ? path.slice(1) : path.slice(1, end));
    const unmatched = async () => {
      const allowed = found?.router.match(path, ctx.method).path.flatMap(({ methods }) => methods) ?? [];
      if (allowed.length > 0) throw wrongMethod(ctx, allowed);
      await next();
      if (ctx.status === 404 && !ctx.body) throw unknownPath(pathOf(url));
    };
    if (!found) return unmatched();
    ctx.state.api = api === 'fabric' ? 'management' : api;
    ctx.newRouterPath = path;
    return found.routes(ctx, unmatched);
  };
}

const prefixes = [
  { base: basePaths.client, api: 'client' },
  { base: basePaths.management, api: 'management' },
  { base: basePaths.fabric, api: 'fabric' },
  { base: '/edge/v1', api: 'client' },
] as const;

/**
 * Which API a request target names, and the path below its base without trailing slash. Below the base, repeated slashes
 * and `/./` do not count. The base has one spelling, so that a proxy can guard it. Nothing is decoded. A path without the
 * base of an API belongs to the Client API.
 */
function splitPath(url: string): { api: SurfaceName; path: string } {
  const path = pathOf(url);
  for (const { base, api } of prefixes) {
    if (!path.startsWith(base)) continue;
    if (path.length === base.length) return { api, path: '/' };
    if (path[base.length] === '/') return { api, path: collapse(path.slice(base.length)) };
  }
  return { api: 'client', path: collapse(path) };
}

function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

function collapse(path: string): string {
  if (!path.includes('//') && !path.includes('/.') && !(path.length > 1 && path.endsWith('/'))) return path || '/';
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  return `/${segments.join('/')}`;
}
