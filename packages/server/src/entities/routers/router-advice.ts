import type { EntityRef } from '@edge-controller/shared-types';
import type { RawBuilder } from 'kysely';
import { countEntities, listEntities } from '../../crud/read-entities.ts';
import type { Services } from '../../crud/services.ts';
import { routersOfIdentity, routersOfService, usableRouters } from './usable-routers.ts';

/** What edge-router policies and service-edge-router policies say about an identity and a service. */
interface RouterAdvice {
  /** How many edge routers the identity may use. */
  readonly identityRouterCount: number;
  /** Through how many edge routers the service can be reached. */
  readonly serviceRouterCount: number;
  /** Those that are both, by their names. `null`: none. */
  readonly commonRouters: readonly (EntityRef & { readonly isOnline: boolean })[] | null;
}

/** Reads which edge routers an identity and a service have in common. An unknown one has none. */
export async function readRouterAdvice(
  services: Services,
  { identityId, serviceId }: { readonly identityId: string; readonly serviceId: string },
): Promise<RouterAdvice> {
  const [identityRouterCount, serviceRouterCount, commonRouters] = await Promise.all([
    routersOfIdentity(services, identityId).then((conditions) => countEntities(services, 'edgeRouters', conditions)),
    routersOfService(services, serviceId).then((conditions) => countEntities(services, 'edgeRouters', conditions)),
    usableRouters(services, { identityId, serviceId }).then((conditions) => refs(services, conditions)),
  ]);
  return { identityRouterCount, serviceRouterCount, commonRouters };
}

async function refs(services: Services, conditions: readonly RawBuilder<boolean>[]) {
  const { batches } = await listEntities(services, 'edgeRouters', { limit: -1, sort: 'name' }, { conditions });
  const routers: (EntityRef & { isOnline: boolean })[] = [];
  for await (const details of batches) {
    for (const { id, name, isOnline, _links } of details) {
      routers.push({ _links, entity: 'edge-routers', id, name, isOnline });
    }
  }
  return routers.length === 0 ? null : routers;
}
