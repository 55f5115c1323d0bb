import { z } from 'zod';
import { entity } from '../entity.ts';
import { required, roles, semantic, serverSet, uniqueName } from '../field.ts';
import { selects } from '../relation.ts';

/** Which identities may use which edge routers. */
export const edgeRouterPolicies = entity({
  noun: 'edgeRouterPolicy',
  collection: 'edge-router-policies',
  fields: {
    name: uniqueName,
    semantic: required(semantic, 'semantic'),
    identityRoles: roles('identities', { semantic: 'semantic' }),
    edgeRouterRoles: roles('edgeRouters', { semantic: 'semantic' }),
    /** Whether the controller made it, for the identity of a router. Nobody can change it. */
    isSystem: serverSet(z.boolean(), 'always', false, 'isSystem'),
  },
  relations: { 'edge-routers': selects('edgeRouterRoles'), identities: selects('identityRoles') },
  errors: {
    update: ['ENTITY_CAN_NOT_BE_UPDATED'],
    patch: ['ENTITY_CAN_NOT_BE_UPDATED'],
    delete: ['ENTITY_CAN_NOT_BE_DELETED'],
  },
});

/** Through which edge routers services can be reached. */
export const serviceEdgeRouterPolicies = entity({
  noun: 'serviceEdgeRouterPolicy',
  collection: 'service-edge-router-policies',
  fields: {
    name: uniqueName,
    semantic: required(semantic, 'semantic'),
    serviceRoles: roles('services', { semantic: 'semantic' }),
    edgeRouterRoles: roles('edgeRouters', { semantic: 'semantic' }),
  },
  relations: { 'edge-routers': selects('edgeRouterRoles'), services: selects('serviceRoles') },
});
