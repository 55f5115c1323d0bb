import { z } from 'zod';
import { entity } from '../entity.ts';
import { derived, immutable, input, optional, reference, required, serverSet } from '../field.ts';

const cost = z.number().int().min(0).max(65535);
const text = z.string().max(500);
const base64 = z
  .string()
  .max(10_000)
  .refine((sent) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(sent), {
    error: 'must be base64',
  });

/** The end of a path to a service: a router, and how it reaches the application that offers the service. */
export const terminators = entity({
  noun: 'terminator',
  collection: 'terminators',
  fields: {
    /** PUT must send it. It never changes. */
    serviceId: { ...reference('services', 'service', 'service.name'), body: 'service', patch: 'none' },
    routerId: { ...reference('transitRouters', 'router', 'router.name'), body: 'router' },
    /** What the router does at the end of the path: `edge`, `transport`, … */
    binding: required(text, 'binding'),
    /** What the binding needs: the id of the session that hosts, or an address. */
    address: required(text, 'address'),
    /** The name that a caller can dial it by. It never changes. All terminators of a service with the same one are of one host. */
    identity: {
      ...immutable(text, 'identity', 'instanceId'),
      ...({ create: 'optional', default: '' } as const),
    },
    /** Base64. Where no identity hosts, those with the same `identity` must send the same one. */
    identitySecret: input(base64),
    /** The identity that hosts. Empty: none does, a request has made the terminator. */
    hostId: serverSet(z.string(), 'none', '', 'hostId'),
    /** Added to the cost of the path. Default: 0. */
    cost: optional(cost, 0, 'cost'),
    /** `required` before `default` before `failed`. */
    precedence: optional(z.enum(['default', 'required', 'failed']), 'default', 'precedence'),
    /** What the strategy of the service adds while it runs. */
    dynamicCost: derived(cost),
  },
  errors: { create: ['NOT_FOUND'], update: ['NOT_FOUND'], patch: ['NOT_FOUND'] },
});
