import { z } from 'zod';
import { define } from './definitions.ts';
import { managementApi } from './management-api.ts';

const { circuits, links, routers, terminators } = managementApi;

/** A router, with the names that existing tools read. */
const fabricRouter = define(
  'fabricRouterDetail',
  routers.get.response.extend({
    /** The same as `isOnline`. */
    connected: z.boolean(),
  }),
);

/** A terminator, with the names that existing tools read. */
const fabricTerminator = define(
  'fabricTerminatorDetail',
  terminators.get.response.extend({
    /** The same as `identity`. */
    instanceId: z.string(),
  }),
);

/**
 * What the Management API says about the network, at the paths where existing tools look for it: below `/fabric/v1`. New code
 * finds all of it on the Management API.
 */
export const fabricApi = {
  circuits,
  links,
  routers: {
    list: { ...routers.list, response: fabricRouter },
    get: { ...routers.get, response: fabricRouter },
  },
  terminators: {
    list: { ...terminators.list, response: fabricTerminator },
    get: { ...terminators.get, response: fabricTerminator },
  },
} as const;
