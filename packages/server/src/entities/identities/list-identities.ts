import type { managementApi } from '@edge-controller/shared-types';
import { isWithoutSecondFactor } from '../../credentials/mfas/without-second-factor.ts';
import { listEntities } from '../../crud/read-entities.ts';
import { roleConditions } from '../../crud/role-filter.ts';
import type { Handlers } from '../dependencies.ts';

/** Lists all identities, or those that sign in with one factor though they have rights, or all others. */
export const listIdentities: Handlers<typeof managementApi>['identities']['list'] = async (call, { query }) => {
  const { lacksSecondFactor: wanted } = query;
  const conditions = await Promise.all([
    roleConditions(call, 'identities', query),
    wanted === undefined ? [] : isWithoutSecondFactor(call.database, call.settings, wanted),
  ]);
  return await listEntities(call, 'identities', query, { conditions: conditions.flat() });
};
