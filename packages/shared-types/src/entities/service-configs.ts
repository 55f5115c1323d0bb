import { z } from 'zod';
import { define } from '../definitions.ts';
import { entityRef, idParams } from '../envelope.ts';
import { defineResource } from '../operation.ts';

const ids = { serviceId: z.string(), configId: z.string() };
/** The config that an identity has for a service, instead of the config of the service of the same type. */
const detail = define('serviceConfigDetail', z.object({ ...ids, service: entityRef, config: entityRef }));
/** What assigns or removes a service config. */
const assign = define('serviceConfigAssign', z.object(ids));

const path = '/identities/{id}/service-configs';
const change = {
  path,
  access: 'admin',
  permission: 'identity.update',
  result: 'empty',
  params: idParams,
  body: z.array(assign).max(500),
} as const;

export const serviceConfigs = defineResource({
  serviceConfigs: {
    method: 'GET',
    path,
    access: 'admin',
    permission: 'identity.read',
    result: 'list',
    params: idParams,
    response: detail,
    summary: 'Lists the service configs of one identity',
  },
  assignServiceConfigs: { ...change, method: 'POST', summary: 'Assigns service configs to one identity' },
  removeServiceConfigs: { ...change, method: 'DELETE', summary: 'Removes service configs from one identity' },
});
