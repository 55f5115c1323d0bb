import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { readListSearch } from './entities/list-search.ts';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { PageProblem } from './shell/page-problem.tsx';
import { Shell } from './shell/shell.tsx';

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
    path: '/entities/$resource',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./entities/list-page.tsx'), 'ListPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/entities/$resource/$id',
    component: lazyRouteComponent(() => import('./entities/entity-page.tsx'), 'EntityPage'),
  }),
];

export function createConsoleRouter() {
  return createRouter({
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
