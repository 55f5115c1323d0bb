import type { StoredServiceSession } from '../storage/session-store/service-sessions.ts';
import type { RouterDependencies } from './dependencies.ts';
import { apiSessionIdsOf, sessionsRemoved } from './handlers/api-sessions.ts';
import type { LiveRouter } from './live-router.ts';
import type { SessionUse } from './session-use.ts';

type Dependencies = Pick<
  RouterDependencies,
  'apiSessions' | 'circuits' | 'log' | 'serviceAccess' | 'serviceSessions' | 'terminators'
>;

interface Loss {
  /** The sessions, at the routers that they may not use any more. */
  readonly uses: readonly SessionUse[];
  /** The routers of this controller. */
  readonly find: (routerId: string) => LiveRouter | undefined;
}

/** Ends the connections of sessions at routers that they may not use any more. Their connections at other routers go on. */
export function loseRouters(dependencies: Dependencies, { uses, find }: Loss): void {
  const { apiSessions, circuits, log, terminators } = dependencies;
  for (const use of uses) circuits.endAt(use);
  const hosting = uses.filter((use) => terminators.hosts(use));
  for (const { session, routerId } of hosting) find(routerId)?.send(sessionsRemoved([session.id]));
  for (const { session, routerId } of uses) {
    const router = find(routerId);
    const unknown = apiSessionIdsOf(router?.takenOverOf([session.id]) ?? []);
    if (router && unknown.length > 0) void apiSessions.disconnect(router, unknown);
  }
  endHosting(dependencies, hosting)
    // A dial removes what is left.
    .catch((error: unknown) => log.warn({ err: error }, 'terminators at routers that their hosts lost are left'));
}

async function endHosting(dependencies: Dependencies, hosting: readonly SessionUse[]): Promise<void> {
  const { serviceAccess, serviceSessions, terminators } = dependencies;
  const useless: StoredServiceSession[] = [];
  for (const use of hosting) {
    await terminators.endAt(use);
    const { serviceId, apiSession } = use.session;
    const routers = await serviceAccess.routersOf({ identityId: apiSession.identityId, serviceId });
    if (routers.length === 0) useless.push(use.session);
  }
  // A router remembers for minutes that a session has ended: when the host gets a router again, it needs another session.
  await serviceSessions.end(useless, { by: 'controller' });
}
