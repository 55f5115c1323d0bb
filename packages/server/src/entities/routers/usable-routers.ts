import type { Dependencies } from '../../crud/dependencies.ts';
import { readRelatedIds, relatedBy } from '../../crud/relations.ts';

/** Who wants to reach what. */
interface Route {
  readonly identityId: string;
  readonly serviceId: string;
}

const link = 'edge-routers';

/** The edge routers that an identity may use: conditions on `t`, the router. Administrators have no more than their policies give. */
export function routersOfIdentity(dependencies: Dependencies, id: string) {
  return relatedBy(dependencies, link, { entity: 'identities', id });
}

/** The edge routers through which an identity reaches a service: conditions on `t`, the router. */
export async function usableRouters(dependencies: Dependencies, { identityId, serviceId }: Route) {
  const ofService = relatedBy(dependencies, link, { entity: 'services', id: serviceId });
  return (await Promise.all([routersOfIdentity(dependencies, identityId), ofService])).flat();
}

/** Reads the ids of the edge routers that an identity may use, and of those through which a service can be reached. */
export async function readRouterIds(dependencies: Dependencies, { identityId, serviceId }: Route) {
  const [ofIdentity, ofService] = await Promise.all([
    readRelatedIds(dependencies, link, { entity: 'identities', id: identityId }),
    readRelatedIds(dependencies, link, { entity: 'services', id: serviceId }),
  ]);
  return { ofIdentity, ofService };
}
