import { accessRules } from '../access/service-access/access-rules.ts';
import { defineEntity } from '../crud/define-entity.ts';

export const servicePolicies = defineEntity('servicePolicies', {
  access: accessRules.servicePolicies,
  fields: {
    name: { access: 'cached' },
    type: { access: 'rights' },
    semantic: { access: 'rights' },
    identityRoles: { access: 'rights' },
    serviceRoles: { access: 'rights' },
    postureCheckRoles: { access: 'rights' },
  },
});

export const edgeRouterPolicies = defineEntity('edgeRouterPolicies', {
  access: accessRules.edgeRouterPolicies,
  fields: {
    name: { access: 'none' },
    semantic: { access: 'cached' },
    identityRoles: { access: 'cached' },
    edgeRouterRoles: { access: 'cached' },
    isSystem: { access: 'none' },
  },
});

export const serviceEdgeRouterPolicies = defineEntity('serviceEdgeRouterPolicies', {
  access: accessRules.serviceEdgeRouterPolicies,
  fields: {
    name: { access: 'none' },
    semantic: { access: 'cached' },
    serviceRoles: { access: 'cached' },
    edgeRouterRoles: { access: 'cached' },
  },
});
