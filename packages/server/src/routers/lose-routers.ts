import { apiSessionIdsOf, sessionsRemoved } from './handlers/api-sessions.ts';
import type { LiveRouter } from './live-router.ts';
import type { RouterServices } from './services.ts';
import type { SessionUse } from './session-use.ts';

type Services = Pick<
  RouterServices,
  'apiSessions' | 'circuits' | 'log' | 'serviceAccess' | 'serviceSessions' | 'terminators'
>;

interface Loss {
  /** The sessions, at the routers that they may not use any more. */
  readonly uses: readonly SessionUse[];
  /** The routers of this controller. */
  readonly find: (routerId: string) => LiveRouter | undefined;
}

/** Ends what sessions have open at routers that they may not use any more. What they have at other routers goes on. */
export function loseRouters(services: Services, { uses, find }: Loss): void {
  const { apiSessions, circuits, log } = services;
  for (const use of uses) circuits.endAt(use);
  for (const use of uses) {
    const router = find(use.routerId);
    const unknown = apiSessionIdsOf(router?.inheritedOf([use.session.id]) ?? []);
    if (router && unknown.length > 0) void apiSessions.disconnect(router, unknown);
    // A dial removes what is left.
    endHosting(services, use, router).catch((error: unknown) =>
      log.warn({ err: error, router: use.routerId }, 'terminators at a router that their host lost are left'),
    );
  }
}

async function endHosting(services: Services, use: SessionUse, router: LiveRouter | undefined): Promise<void> {
  const { serviceAccess, serviceSessions, terminators } = services;
  const { session } = use;
  if (!terminators.hosts(use)) return;
  router?.send(sessionsRemoved([session.id]));
  await terminators.endAt(use);
  const { serviceId, apiSession } = session;
  const hasOther = (await serviceAccess.routersOf({ identityId: apiSession.identityId, serviceId })).length > 0;
  // A router remembers for minutes that a session has ended: when the host gets a router again, it needs another session.
  if (!hasOther) await serviceSessions.end([session], { by: 'controller' });
}
