import type { Row } from '@edge-controller/operation-tables';
import type { RouterHistory } from '@tanstack/react-router';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { readListSearch } from './entities/list/search.ts';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { PageProblem } from './shell/page-problem.tsx';
import { Shell } from './shell/shell.tsx';

/** Reads texts of the address. What is no text counts as absent. */
function textsOf<const Name extends string>(...names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): { readonly [N in Name]?: string } =>
    Object.fromEntries(names.map((name) => [name, search[name]]).filter(([, value]) => typeof value === 'string')) as {
      readonly [N in Name]?: string;
    };
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });

/** A page whose code is loaded when somebody visits it. */
const pages = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    component: lazyRouteComponent(() => import('./pages/dashboard/dashboard-page.tsx'), 'DashboardPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account',
    component: lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/api-sessions',
    validateSearch: textsOf('identity'),
    component: lazyRouteComponent(() => import('./pages/api-sessions/api-sessions-page.tsx'), 'ApiSessionsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/audit-log',
    validateSearch: textsOf('filter'),
    component: lazyRouteComponent(() => import('./pages/audit-log/audit-log-page.tsx'), 'AuditLogPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/access',
    validateSearch: textsOf('identity', 'service'),
    component: lazyRouteComponent(() => import('./pages/access/access-page.tsx'), 'AccessPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/entities/$resource',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./entities/list/page.tsx'), 'ListPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/entities/$resource/new',
    // What the form shows at first.
    validateSearch: (search: Row) => search,
    component: lazyRouteComponent(() => import('./entities/form/new-page.tsx'), 'NewPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/entities/$resource/$id',
    component: lazyRouteComponent(() => import('./entities/detail/page.tsx'), 'EntityPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/operations',
    component: lazyRouteComponent(() => import('./operations/operations-page.tsx'), 'OperationsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/operations/$api/$resource/$verb',
    component: lazyRouteComponent(() => import('./operations/operation-page.tsx'), 'OperationPage'),
  }),
];

export function createConsoleRouter(history: RouterHistory) {
  return createRouter({
    history,
    routeTree: root.addChildren(pages),
    basepath: '/console',
    defaultPreload: 'intent',
    defaultErrorComponent: PageProblem,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: ReturnType<typeof createConsoleRouter>;
  }
}
