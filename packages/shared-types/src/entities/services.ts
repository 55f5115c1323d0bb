import { z } from 'zod';
import { entity } from '../entity.ts';
import { anyObject } from '../envelope.ts';
import { attributes, derived, optional, references, required, uniqueName } from '../field.ts';
import { belongsToMany, hasMany, selectedBy, selectedWith } from '../relation.ts';
import { access, postureQueries } from './posture-queries.ts';
import { serviceQuery } from './service-query.ts';

/** What applications of the network offer and use. */
export const services = entity({
  noun: 'service',
  collection: 'services',
  fields: {
    name: uniqueName,
    /** Whether both ends encrypt what they send. PATCH does not change it. */
    encryptionRequired: {
      ...required(z.boolean(), 'encryptionRequired'),
      ...({ update: 'optional', patch: 'none', default: false } as const),
      safe: { value: true, otherwise: 'The routers between both ends can then read what they send.' },
    },
    roleAttributes: attributes('nullable'),
    /** Ids of configs for services, at most one of a type. */
    configs: references('configs', 'configs'),
    /** How a terminator is chosen: `smartrouting` (default), `random`, `sticky` or `weighted`. */
    terminatorStrategy: optional(z.string().max(100), 'smartrouting', 'terminatorStrategy'),
    /** Milliseconds after which a circuit without data ends. Default: 0, never. */
    maxIdleTimeMillis: optional(z.number().int(), 0, 'maxIdleTimeMillis'),
    /** What the caller may do with it. `Invalid` alone: nothing. */
    permissions: derived(z.array(access)),
    /** The data of its configs, by the name of the config type: of those types that the query or the API session asks for. */
    config: derived(z.record(z.string(), anyObject)),
    /** The policies that let the caller use it. */
    postureQueries: derived(z.array(postureQueries)),
  },
  relations: {
    configs: belongsToMany('configs'),
    'edge-routers': { ...selectedWith('serviceEdgeRouterPolicies', 'serviceRoles', 'edgeRouterRoles'), link: false },
    identities: { ...selectedWith('servicePolicies', 'serviceRoles', 'identityRoles'), byType: true, link: false },
    'service-edge-router-policies': selectedBy('serviceEdgeRouterPolicies', 'serviceRoles'),
    'service-policies': selectedBy('servicePolicies', 'serviceRoles'),
    terminators: hasMany('terminators', 'serviceId'),
  },
  query: serviceQuery,
  errors: { create: ['NOT_FOUND'] },
});
