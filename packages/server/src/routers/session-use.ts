import type { ServiceAccess } from '../access/service-access/service-access.ts';
import type { StoredServiceSession } from '../storage/session-store/service-sessions.ts';

/** A session of a service at a router, where its connections may be open. */
export interface SessionUse {
  readonly session: StoredServiceSession;
  readonly routerId: string;
}

/** Whether the policies of routers let a session use its router. Refresh the version of the rights first. */
export function mayUseRouter(access: ServiceAccess, { session, routerId }: SessionUse): Promise<boolean> {
  const { serviceId, apiSession } = session;
  return access.mayReach({ identityId: apiSession.identityId, serviceId }, routerId);
}
