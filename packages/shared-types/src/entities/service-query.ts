import { z } from 'zod';
import { listQuery, roleListQuery } from '../envelope.ts';

/** What the services of a list show beside their fields. */
const shown = {
  /** Names or ids of config types, or `all`: `config` has those of these types. Default: those of the API session. */
  configTypes: z.array(z.string().max(500)).max(64).optional(),
};

/** Query of the list of all services. */
export const serviceQuery = roleListQuery.extend({
  ...shown,
  /** Id or name of an identity: the list is the one that this identity has, with its permissions. */
  asIdentity: z.string().max(500).optional(),
});

/** Query of the list of the services that the caller may use. */
export const ownServiceQuery = listQuery.extend({
  ...shown,
  /** Has no effect. */
  roleFilter: z.array(z.string()).optional(),
  /** Has no effect. */
  roleSemantic: z.string().optional(),
});
