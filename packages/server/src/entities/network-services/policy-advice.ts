import type { managementApi } from '@edge-controller/shared-types';
import { notFound } from '../../api-error.ts';
import { readRefs } from '../../crud/read-refs.ts';
import type { Handlers } from '../services.ts';
import { readAccess } from './read-access.ts';

type Identities = Handlers<typeof managementApi>['identities'];

export const policyAdvice: Pick<Identities, 'policyAdvice'> = {
  async policyAdvice(call, { params: { id, serviceId } }) {
    const [identities, services, access] = await Promise.all([
      readRefs(call, 'identities', [id]),
      readRefs(call, 'services', [serviceId]),
      readAccess(call, id, [serviceId]),
    ]);
    const [identity, service] = [identities.get(id), services.get(serviceId)];
    if (!identity) throw notFound('identity', id);
    if (!service) throw notFound('service', serviceId);
    const types = new Set(access.get(serviceId)?.map(({ type }) => type));
    return {
      ...{ identityId: id, identity, serviceId, service },
      ...(types.has('Bind') && { isBindAllowed: true }),
      ...(types.has('Dial') && { isDialAllowed: true }),
      commonRouters: null,
    };
  },
};
