import type { clientApi, managementApi } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import { listEntities } from '../../crud/read-entities.ts';
import { relatedBy } from '../../crud/relations.ts';
import { roleConditions } from '../../crud/role-filter.ts';
import type { Dependencies, Handlers, SessionCall, View } from '../dependencies.ts';
import { configTypeIds } from './config-type-ids.ts';
import { withView } from './view.ts';

type List = Handlers<typeof managementApi>['services']['list'];
type OwnList = Handlers<typeof clientApi>['services']['list'];

/** Lists all services as the caller sees them, or those that another identity may use, as it sees them. */
export const listServices: List = async (call, { query }) => {
  const { asIdentity, configTypes } = query;
  const identityId = asIdentity === undefined ? undefined : await identityNamed(call, asIdentity);
  const conditions = await Promise.all([
    roleConditions(call, 'services', query),
    identityId === undefined ? [] : relatedBy(call, 'services', { entity: 'identities', id: identityId }),
  ]);
  const view = await viewFor(call, { identityId, configTypes });
  return await listEntities(withView(call, view), 'services', query, { conditions: conditions.flat() });
};

/** Makes a list of the services of the caller show the configs of the types in the query. */
export function withConfigTypes(list: OwnList): OwnList {
  return async (call, input) => await list(withView(call, await viewFor(call, input.query)), input);
}

async function viewFor(
  call: SessionCall,
  {
    identityId,
    configTypes,
  }: { readonly identityId?: string | undefined; readonly configTypes?: string[] | undefined },
): Promise<View> {
  const { principal, stored } = call.session;
  return {
    identityId: identityId ?? principal.id,
    configTypes: configTypes ? await configTypeIds(call, configTypes) : stored.configTypes,
  };
}

/** Finds an identity by its id, or else by its name. */
async function identityNamed({ database }: Dependencies, idOrName: string): Promise<string> {
  const found = await database.db
    .selectFrom('identities')
    .select('id')
    .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)]))
    .execute();
  const identity = found.find(({ id }) => id === idOrName) ?? found[0];
  if (identity) return identity.id;
  const message = `identity with id or name ${idOrName} not found`;
  throw new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message } });
}
