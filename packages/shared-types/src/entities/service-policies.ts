import { z } from 'zod';
import { entity } from '../entity.ts';
import { required, roles, semantic, uniqueName } from '../field.ts';
import { selects } from '../relation.ts';

/** Which identities may use, or offer, which services, and what must be true of their devices. */
export const servicePolicies = entity({
  noun: 'servicePolicy',
  collection: 'service-policies',
  fields: {
    name: uniqueName,
    /** `Dial`: the identities may use the services. `Bind`: they may offer them. */
    type: required(z.enum(['Dial', 'Bind']), 'type'),
    semantic: required(semantic, 'semantic'),
    identityRoles: roles('identities', { semantic: 'semantic' }),
    serviceRoles: roles('services', { semantic: 'semantic' }),
    /** All of these posture checks must pass. */
    postureCheckRoles: roles('postureChecks', { semantic: 'semantic' }),
  },
  relations: {
    services: selects('serviceRoles'),
    identities: selects('identityRoles'),
    'posture-checks': selects('postureCheckRoles'),
  },
});
