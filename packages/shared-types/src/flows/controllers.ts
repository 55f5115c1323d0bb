import { z } from 'zod';
import { define } from '../definitions.ts';
import { baseEntity, dateTime, listQuery } from '../envelope.ts';
import { defineResource } from '../operation.ts';

/** Where an API of a controller is. */
const apiAddress = define('apiAddress', z.object({ url: z.string().optional(), version: z.string().optional() }));

/** A controller of a cluster. */
export const controllerDetail = define(
  'controllerDetail',
  z.object({
    ...baseEntity,
    name: z.string(),
    /** Its certificate. */
    certPem: z.string(),
    /** SHA-1 of its certificate. */
    fingerprint: z.string(),
    isOnline: z.boolean(),
    isPreferredLeader: z.boolean().optional(),
    lastJoinedAt: dateTime,
    /** Where routers connect. */
    ctrlAddress: z.string().nullish(),
    /** By the name of the API, as in the version. */
    apiAddresses: z.record(z.string(), z.array(apiAddress)).optional(),
  }),
);

/** The controllers of the network. */
export const controllers = defineResource({
  list: {
    method: 'GET',
    path: '/controllers',
    access: 'full',
    result: 'list',
    query: listQuery,
    response: controllerDetail,
    summary: 'Lists the controllers of a cluster; a controller that stands alone lists none',
  },
});

export type ControllerDetail = z.output<typeof controllerDetail>;
