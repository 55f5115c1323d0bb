import type { managementApi } from '@edge-controller/shared-types';
import type { Handlers } from '../services.ts';

type Identities = Handlers<typeof managementApi>['identities'];

const nothing = { postureCheckId: '', timedOut: false, lastUpdatedAt: null };

/** No client can send anything about its device yet, and no session is refused. */
export const identityPosture: Pick<Identities, 'postureData' | 'failedServiceRequests'> = {
  postureData: async () => ({
    mac: { ...nothing, addresses: null },
    domain: { ...nothing, domain: null },
    os: { ...nothing, type: null, version: null, build: null },
    processes: [],
    apiSessionPostureData: {},
  }),
  failedServiceRequests: async () => ({ batches: [] }),
};
