import type { CommonEdgeRouter, EntityData } from '@edge-controller/shared-types';
import { noRights } from '../../credentials/rights/rights.ts';
import type { SessionCall } from '../dependencies.ts';

/**
 * The same call, as somebody without rights: no secret of a router is opened for an application, whoever uses it. The prototype
 * keeps the services of the call.
 */
export function withoutRights(call: SessionCall): SessionCall {
  const { session } = call;
  const principal = { ...session.principal, ...noRights };
  return Object.assign(Object.create(call), { session: { ...session, principal } });
}

/** What applications see of an edge router. */
export function shownRouter(detail: EntityData<'edgeRouters'>): CommonEdgeRouter {
  const { name, hostname, isOnline, supportedProtocols, syncStatus, cost, noTraversal, disabled } = detail;
  return { name, hostname, isOnline, supportedProtocols, syncStatus, cost, noTraversal, disabled };
}
