import type { RouterMiddleware } from '@koa/router';
import { Router } from '@koa/router';
import type Koa from 'koa';
import compose from 'koa-compose';
import type { RequestMetrics } from '../../operate/metrics/request-metrics.ts';
import type { Traces } from '../../operate/traces/traces.ts';
import type { AttemptLimiter } from '../../storage/attempt-limits/attempt-limiter.ts';
import type { Middleware } from '../request-state.ts';
import { attemptLimit } from './attempt-limit.ts';
import { bodyLimit } from './body-limit.ts';
import { handler } from './handler.ts';
import { input } from './input.ts';
import type { Mounted, Surface } from './mounted.ts';
import { mountApi } from './mounted.ts';
import type { PermissionOptions } from './permission.ts';
import { permission } from './permission.ts';
import { recordOperation } from './record-operation.ts';
import type { SessionOptions } from './session.ts';
import { session } from './session.ts';

/** Where operations are mounted. `fabric` has a part of the Management API. */
export type SurfaceName = 'client' | 'management' | 'fabric';

export interface OperationsOptions extends SessionOptions, PermissionOptions {
  readonly apis: Readonly<Record<SurfaceName, Surface>>;
  readonly attempts: AttemptLimiter;
  /** Where requests are counted. Default: they are not counted. */
  readonly requests?: RequestMetrics | undefined;
  /** Whether requests are traced. Default: no. */
  readonly traces?: Traces | undefined;
}

/** Where the operations of an API are. */
export const basePaths = {
  client: '/edge/client/v1',
  management: '/edge/management/v1',
  fabric: '/fabric/v1',
} as const;

/** The routers of an API by the first path segment of their routes. */
export type Routers = ReadonlyMap<string, { readonly router: Router; readonly routes: Koa.Middleware }>;

/**
 * Registers every operation of an API. There is one router per first path segment: a router tries its routes in turn, and
 * one with all of them is slow.
 */
export function createRouters(name: SurfaceName, options: OperationsOptions): Routers {
  const routers = new Map<string, Router>();
  const fixedFirst = mountApi(options.apis[name]).toSorted((a, b) => countParams(a) - countParams(b));
  for (const mounted of fixedFirst) {
    const { method, path } = mounted.operation;
    const segment = path.split('/', 2)[1] ?? '';
    const router = routers.get(segment) ?? new Router({ sensitive: true, strict: true });
    routers.set(segment, router);
    // Composed once here: the router would compose a list of steps at each request.
    const run = watched(compose(steps(mounted, options)), { name, mounted, options }) as RouterMiddleware;
    const layer = router.register(path.replaceAll(/\{(\w+)\}/g, ':$1'), [method], run);
    // The router adds HEAD to GET. The wire refuses HEAD everywhere (405).
    if (!Array.isArray(layer)) layer.methods = [method];
  }
  return new Map([...routers].map(([segment, router]) => [segment, { router, routes: router.routes() as never }]));
}

interface Watched {
  readonly name: SurfaceName;
  readonly mounted: Mounted;
  readonly options: OperationsOptions;
}

/** The steps of an operation, for those who watch requests if anybody does. */
function watched(steps: Middleware, { name, mounted: { id, operation }, options }: Watched): Middleware {
  const { requests, traces } = options;
  if (!requests && !traces) return steps;
  return recordOperation({ id, route: basePaths[name] + operation.path, requests: requests?.of(name, id) }, steps);
}

function countParams({ operation }: Mounted): number {
  return operation.path.split('{').length;
}

/** What happens to a request of an operation, in the order of the wire. */
function steps(mounted: Mounted, options: OperationsOptions): Middleware[] {
  const { operation } = mounted;
  const needsPermission = operation.access === 'full' || operation.access === 'admin';
  return [
    ...(operation.body ? [bodyLimit(mounted)] : []),
    ...(operation.attempt ? [attemptLimit(options.attempts)] : []),
    session(operation, options),
    input(mounted),
    ...(needsPermission ? [permission(mounted, options)] : []),
    handler(mounted, options.dependencies),
  ];
}
