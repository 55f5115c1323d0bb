import type { RawBuilder } from 'kysely';
import { relatedBy } from '../../crud/relations.ts';
import type { Services } from '../../crud/services.ts';

type Conditions = Promise<RawBuilder<boolean>[]>;

const link = 'edge-routers';

/** The edge routers that an identity may use: conditions on `t`, the router. Administrators need policies, too. */
export function routersOfIdentity(services: Services, id: string): Conditions {
  return relatedBy(services, link, { entity: 'identities', id });
}

/** The edge routers through which a service can be reached: conditions on `t`, the router. */
export function routersOfService(services: Services, id: string): Conditions {
  return relatedBy(services, link, { entity: 'services', id });
}

/** The edge routers through which an identity reaches a service: conditions on `t`, the router. */
export async function usableRouters(
  services: Services,
  { identityId, serviceId }: { readonly identityId: string; readonly serviceId: string },
): Conditions {
  const [ofIdentity, ofService] = [routersOfIdentity(services, identityId), routersOfService(services, serviceId)];
  return (await Promise.all([ofIdentity, ofService])).flat();
}
