import type { EntityRef, SessionDetail } from '@edge-controller/shared-types';
import { isoTime } from '../../core/time/clock.ts';
import type { RouterNetwork } from '../../network/router-connections/router-network.ts';
import type { StoredServiceSession } from '../../storage/session-store/service-sessions.ts';
import type { AccessRouter } from '../service-access/load-access.ts';
import type { Dependencies } from './dependencies.ts';
import type { JudgedServiceSession } from './service-sessions.ts';

const maxRouters = 25;

type ShownRouter = SessionDetail['edgeRouters'][number];

/** A session as both APIs show it. Its token is its id: only the response that opens it has the JWT. */
export async function sessionDetail(
  { serviceAccess, routerNetwork }: Pick<Dependencies, 'serviceAccess' | 'routerNetwork'>,
  { session, access, policies }: JudgedServiceSession,
): Promise<SessionDetail> {
  const pair = { identityId: session.apiSession.identityId, serviceId: session.serviceId };
  return {
    ...shownSession(session, { token: session.id, service: access.service }),
    edgeRouters: await shownRouters(routerNetwork, await serviceAccess.routersOf(pair)),
    servicePolicies: policies.map(({ ref }) => ref),
  };
}

/** What a session shows of itself. */
export function shownSession(
  { id, type, serviceId, tags, createdAt, apiSession }: StoredServiceSession,
  { token, service }: { readonly token: string; readonly service: EntityRef | null },
) {
  const self = `./sessions/${id}`;
  const time = isoTime(createdAt);
  return {
    _links: { self: { href: self }, 'route-path': { href: `${self}/route-path` } },
    ...{ id, type, token, createdAt: time, updatedAt: time, tags: { ...tags } },
    apiSessionId: apiSession.id,
    apiSession: apiSessionRef(apiSession.id),
    identityId: apiSession.identityId,
    serviceId,
    // A right without a service is not valid.
    service: service ?? { _links: {}, entity: 'services', id: serviceId },
  };
}

function apiSessionRef(id: string): EntityRef {
  const self = `./api-sessions/${id}`;
  return { _links: { self: { href: self }, sessions: { href: `${self}/sessions` } }, entity: 'api-sessions', id };
}

/** The edge routers of a session: connected ones first, then the cheapest. */
export async function shownRouters(network: RouterNetwork, routers: readonly AccessRouter[]): Promise<ShownRouter[]> {
  await network.refresh();
  return routers
    .map(({ id, name, cost, noTraversal, disabled }) => {
      const { hostname, isOnline, supportedProtocols, syncStatus } = network.connectionOf(id);
      const connection = { hostname, isOnline, supportedProtocols, syncStatus, urls: supportedProtocols };
      return { name, ...connection, cost, noTraversal, disabled };
    })
    .toSorted(
      (one, other) =>
        Number(other.isOnline) - Number(one.isOnline) || one.cost - other.cost || order(one.name, other.name),
    )
    .slice(0, maxRouters);
}

function order(one: string, other: string): number {
  return one < other ? -1 : 1;
}
