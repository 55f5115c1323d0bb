import type { managementApi } from '@edge-controller/shared-types';
import { assignedTo, contracts } from '@edge-controller/shared-types';
import { assign } from '../../crud/assignments.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { readConfigsFor } from '../check-configs.ts';
import type { Handlers } from '../services.ts';

const to = assignedTo(contracts.identities).find(({ verb }) => verb === 'serviceConfigs');

/** As every assignment, but only of configs whose type is for services. */
export const assignServiceConfigs: Handlers<typeof managementApi>['identities']['assignServiceConfigs'] = (
  call,
  { params: { id }, body },
) =>
  inUnitOfWork(call, async (unit) => {
    if (!to) throw new Error("identities have no relation 'service-configs'");
    // Unknown ids come first.
    await assign(unit, { entity: 'identities', id }, to, body);
    await readConfigsFor(unit, 'service', { field: 'configId', ids: body.map(({ configId }) => configId) });
  });
