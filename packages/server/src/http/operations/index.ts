import { Router } from '@koa/router';
import type Koa from 'koa';
import { ApiError } from '../../api-error.ts';
import type { AttemptLimiter } from '../../stores/attempt-limiter.ts';
import type { Context, Middleware } from '../request-state.ts';
import type { RequestTarget } from '../request-target.ts';
import { basePaths, splitTarget } from '../request-target.ts';
import { attemptLimit } from './attempt-limit.ts';
import { handler } from './handler.ts';
import { input } from './input.ts';
import type { Mounted, Surface } from './mounted.ts';
import { mountApi } from './mounted.ts';
import type { Allows } from './permission.ts';
import { permission } from './permission.ts';
import type { SessionOptions } from './session.ts';
import { session } from './session.ts';

export interface OperationsOptions extends SessionOptions {
  readonly apis: { readonly client: Surface; readonly management: Surface };
  readonly allows: Allows;
  readonly attempts: AttemptLimiter;
}

type Routers = ReadonlyMap<string, { readonly router: Router; readonly routes: Koa.Middleware }>;

/**
 * Every operation of both APIs. A request of another path goes on to what is mounted behind it; 404 when nothing there
 * responds.
 */
export function operations(options: OperationsOptions): Middleware {
  const routers = { client: routersOf(options.apis.client), management: routersOf(options.apis.management) };
  function routersOf(api: Surface): Routers {
    return createRouters(mountApi(api), (mounted) => stepsOf(mounted, options));
  }

  return (ctx, next) => {
    const target = splitTarget(ctx.req.url ?? '/');
    ctx.state.api = target.api;
    const found = routers[target.api].get(firstSegment(target.path));
    const { router } = found ?? {};
    const unmatched = async () => {
      const allowed = router?.match(target.path, ctx.method).path.flatMap(({ methods }) => methods) ?? [];
      if (allowed.length > 0) throw wrongMethod(ctx, allowed);
      await next();
      if (ctx.status === 404 && !ctx.body) throw unknownPath(target);
    };
    if (!found) return unmatched();
    Object.assign(ctx, { newRouterPath: target.path });
    return found.routes(ctx as never, unmatched);
  };
}

/** What happens to a request of an operation, step by step, in the order of the wire. */
function stepsOf(mounted: Mounted, options: OperationsOptions): Middleware[] {
  const { operation } = mounted;
  return [
    ...(operation.attempt ? [attemptLimit(options.attempts)] : []),
    session(operation, options),
    input(mounted),
    ...(operation.access !== 'anyone' ? [permission(operation, options.allows)] : []),
    handler(mounted, options.services),
  ];
}

/** One router per first path segment: a router tries its routes in turn, and one with all of them is slow. */
function createRouters(operations: readonly Mounted[], steps: (mounted: Mounted) => Middleware[]): Routers {
  const routers = new Map<string, Router>();
  const fixedFirst = operations.toSorted((a, b) => countParams(a) - countParams(b));
  for (const mounted of fixedFirst) {
    const { method, path } = mounted.operation;
    const segment = firstSegment(path);
    const router = routers.get(segment) ?? new Router({ sensitive: true, strict: true });
    routers.set(segment, router);
    const layer = router.register(path.replaceAll(/\{(\w+)\}/g, ':$1'), [method], steps(mounted) as never[]);
    // The router adds HEAD to GET. The wire refuses HEAD everywhere (405).
    if (!Array.isArray(layer)) layer.methods = [method];
  }
  return new Map([...routers].map(([segment, router]) => [segment, { router, routes: router.routes() as never }]));
}

function countParams({ operation }: Mounted): number {
  return operation.path.split('{').length;
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path.slice(1) : path.slice(1, end);
}

function unknownPath({ api, path }: RequestTarget): ApiError {
  const message = `path ${`${basePaths[api]}${path}`.slice(0, 256)} was not found`;
  return new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message } });
}

function wrongMethod({ method }: Context, allowed: readonly string[]): ApiError {
  const message = `method ${method} is not allowed, but [${allowed.join(',')}] are`;
  return new ApiError('METHOD_NOT_ALLOWED', {
    cause: { code: 'UNHANDLED', message },
    headers: { Allow: allowed.join(', ') },
  });
}
