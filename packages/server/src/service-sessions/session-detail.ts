import type { EntityRef, SessionDetail } from '@edge-controller/shared-types';
import { isoTime } from '../lib/clock.ts';
import { offline } from '../routers/connection.ts';
import type { AccessRouter } from '../service-access/load-access.ts';
import type { StoredServiceSession } from '../session-store/service-sessions.ts';
import type { HeldSession } from './service-sessions.ts';
import type { Services } from './services.ts';

const maxRouters = 25;

type ShownRouter = SessionDetail['edgeRouters'][number];

/** A session as both APIs show it. Its token is its id: only the response that opens it has the JWT. */
export async function sessionDetail(
  { serviceAccess }: Pick<Services, 'serviceAccess'>,
  { session, access, policies }: HeldSession,
): Promise<SessionDetail> {
  const pair = { identityId: session.apiSession.identityId, serviceId: session.serviceId };
  return {
    ...shownSession(session, { token: session.id, service: access.service }),
    edgeRouters: shownRouters(await serviceAccess.routersOf(pair)),
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
    // A right without a service does not hold.
    service: service ?? { _links: {}, entity: 'services', id: serviceId },
  };
}

function apiSessionRef(id: string): EntityRef {
  const self = `./api-sessions/${id}`;
  return { _links: { self: { href: self }, sessions: { href: `${self}/sessions` } }, entity: 'api-sessions', id };
}

/** The edge routers of a session: connected ones first, then the cheapest. */
export function shownRouters(routers: readonly AccessRouter[]): ShownRouter[] {
  return routers
    .map(({ name, cost, noTraversal, disabled }) => {
      const { hostname, isOnline, supportedProtocols, syncStatus } = offline;
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
