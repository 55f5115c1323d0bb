import { z } from 'zod';
import { define } from '../definitions.ts';
import { entityRef } from '../envelope.ts';
import { defineResource } from '../operation.ts';

/** A reference to an edge router. */
const routerEntityRef = define('routerEntityRef', entityRef.extend({ isOnline: z.boolean() }));

/** Whether an identity can use a service, and what it may lack. What is false or 0 is left out. */
const advice = define(
  'policyAdvice',
  z.object({
    identityId: z.string(),
    identity: entityRef,
    serviceId: z.string(),
    service: entityRef,
    isBindAllowed: z.boolean().optional(),
    isDialAllowed: z.boolean().optional(),
    /** How many edge routers the identity may use. */
    identityRouterCount: z.number().int().optional(),
    /** Through how many edge routers the service can be reached. */
    serviceRouterCount: z.number().int().optional(),
    /** The edge routers through which the identity reaches the service. Null: none. */
    commonRouters: z.array(routerEntityRef).nullable(),
  }),
);

export const policyAdvice = defineResource({
  policyAdvice: {
    method: 'GET',
    path: '/identities/{id}/policy-advice/{serviceId}',
    access: 'admin',
    permission: 'service.read',
    result: 'detail',
    meta: null,
    params: z.object({ id: z.string(), serviceId: z.string() }),
    response: advice,
    summary: 'Says whether one identity can use a service, and what it may lack',
  },
});

export type PolicyAdvice = z.output<typeof advice>;
