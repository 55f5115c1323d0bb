import { policiesOf, readPairs } from '../../crud/policy-pairs.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { Dependencies } from '../dependencies.ts';

/** A policy that lets the caller use a service. */
export interface AccessPolicy {
  readonly id: string;
  readonly type: 'Dial' | 'Bind';
}

/** Reads the policies that let an identity use services, by the id of the service, in the order of their ids. */
export async function readAccess(
  dependencies: Dependencies,
  identityId: string,
  entityIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AccessPolicy[]>> {
  const { database } = dependencies;
  const own = { policies: 'servicePolicies', field: 'identityRoles' } as const;
  const policyIds = await policiesOf(dependencies, own, identityId);
  if (policyIds.length === 0) return new Map();
  const [policies, pairs] = await Promise.all([
    database.db
      .selectFrom('servicePolicies')
      .select(['id', 'type'])
      .where('id', 'in', inValues(database.sql, policyIds))
      .orderBy('id')
      .execute(),
    readPairs(dependencies, { policies: 'servicePolicies', field: 'serviceRoles', policyIds, entityIds }),
  ]);
  const byService = Map.groupBy(pairs, ({ entityId }) => entityId);
  return new Map(
    [...byService].map(([id, all]) => {
      const selected = new Set(all.map(({ policyId }) => policyId));
      return [id, policies.filter((policy) => selected.has(policy.id))];
    }),
  );
}
