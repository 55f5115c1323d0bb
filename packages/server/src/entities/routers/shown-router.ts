import type { CommonEdgeRouter, EdgeRouterDetail } from '@edge-controller/shared-types';

/** What applications see of an edge router. */
export function shownRouter(detail: EdgeRouterDetail): CommonEdgeRouter {
  const { name, hostname, isOnline, supportedProtocols, syncStatus, cost, noTraversal, disabled } = detail;
  return { name, hostname, isOnline, supportedProtocols, syncStatus, cost, noTraversal, disabled };
}
