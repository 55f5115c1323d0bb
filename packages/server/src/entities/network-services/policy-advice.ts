import type { managementApi, PolicyAdvice } from '@edge-controller/shared-types';
import { notFound } from '../../core/api-error.ts';
import { readRefs } from '../../crud/read-refs.ts';
import type { Dependencies, Handlers } from '../dependencies.ts';
import { readAccess } from './read-access.ts';

type Identities = Handlers<typeof managementApi>['identities'];

/** Reads which edge routers an identity and a service may use, and which of them are the same. */
type ReadRouterAdvice = (
  dependencies: Dependencies,
  ids: { readonly identityId: string; readonly serviceId: string },
) => Promise<{
  readonly identityRouterCount: number;
  readonly serviceRouterCount: number;
  readonly commonRouters: PolicyAdvice['commonRouters'];
}>;

export function createPolicyAdvice(readRouterAdvice: ReadRouterAdvice): Pick<Identities, 'policyAdvice'> {
  return {
    async policyAdvice(call, { params: { id, serviceId } }) {
      const [identities, services, access, routers] = await Promise.all([
        readRefs(call, 'identities', [id]),
        readRefs(call, 'services', [serviceId]),
        readAccess(call, id, [serviceId]),
        readRouterAdvice(call, { identityId: id, serviceId }),
      ]);
      const [identity, service] = [identities.get(id), services.get(serviceId)];
      if (!identity) throw notFound('identity', id);
      if (!service) throw notFound('service', serviceId);
      const types = new Set(access.get(serviceId)?.map(({ type }) => type));
      const { identityRouterCount, serviceRouterCount, commonRouters } = routers;
      return {
        ...{ identityId: id, identity, serviceId, service },
        ...(types.has('Bind') && { isBindAllowed: true }),
        ...(types.has('Dial') && { isDialAllowed: true }),
        ...(identityRouterCount > 0 && { identityRouterCount }),
        ...(serviceRouterCount > 0 && { serviceRouterCount }),
        commonRouters,
      };
    },
  };
}
