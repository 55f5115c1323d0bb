import { z } from 'zod';
import { entity } from '../entity.ts';
import { idParams, tags } from '../envelope.ts';
import { attributes, derived, optional, serverSet } from '../field.ts';
import { defineResource } from '../operation.ts';
import { selectedBy, selectedWith } from '../relation.ts';
import { routerFields } from './router-fields.ts';

const edgeRouterActions = defineResource({
  reEnroll: {
    method: 'POST',
    path: '/edge-routers/{id}/re-enroll',
    access: 'admin',
    permission: 'router.update',
    result: 'empty',
    params: idParams,
    summary: 'Revokes the certificates of one edge router and gives it a new enrollment',
  },
});

/** A router that applications connect to. */
export const edgeRouters = entity({
  noun: 'edgeRouter',
  collection: 'edge-routers',
  permission: 'router',
  fields: {
    ...routerFields,
    roleAttributes: attributes('nullable'),
    /** Whether the router dials and hosts services itself. It then has an identity with its id and name. */
    isTunnelerEnabled: optional(z.boolean(), false, 'isTunnelerEnabled'),
    /** Data of the application. The controller does not read it. */
    appData: optional(tags, {}),
    /** Its client certificate with its chain, in PEM. */
    certPem: serverSet(z.string(), 'nullable', null),
    isOnline: { ...routerFields.isOnline, filter: ['connected', 'online'] },
    /** Where the router can be reached. Empty while it is offline. */
    hostname: derived(z.string()),
    /** Protocol → address. `{}` while the router is offline. */
    supportedProtocols: derived(z.record(z.string(), z.string())),
    /** How far the router knows the API sessions. */
    syncStatus: derived(z.string()),
    /** What the router runs. Empty texts while it is offline. */
    versionInfo: derived(
      z.object({
        version: z.string(),
        revision: z.string(),
        buildDate: z.string(),
        os: z.string(),
        arch: z.string(),
      }),
    ),
  },
  relations: {
    'edge-router-policies': selectedBy('edgeRouterPolicies', 'edgeRouterRoles'),
    identities: { ...selectedWith('edgeRouterPolicies', 'edgeRouterRoles', 'identityRoles'), link: false },
    'service-edge-router-policies': { ...selectedBy('serviceEdgeRouterPolicies', 'edgeRouterRoles'), link: false },
    services: { ...selectedWith('serviceEdgeRouterPolicies', 'edgeRouterRoles', 'serviceRoles'), link: false },
  },
  // Its identity may be the last one that can administer the controller.
  errors: {
    create: ['NOT_FOUND'],
    update: ['NOT_FOUND', 'LAST_ADMINISTRATOR'],
    patch: ['NOT_FOUND', 'LAST_ADMINISTRATOR'],
    delete: ['LAST_ADMINISTRATOR'],
  },
  actions: edgeRouterActions,
});
