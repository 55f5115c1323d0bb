import { entity } from '../entity.ts';
import { isSystem, required, roles, semantic, uniqueName } from '../field.ts';
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
    /** Whether the controller has made it, for the identity of a router. Nobody else can change or delete it. */
    isSystem,
  },
  relations: { 'edge-routers': selects('edgeRouterRoles'), identities: selects('identityRoles') },
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
