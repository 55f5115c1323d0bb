import { policiesOf, readPairs } from '../../crud/policy-pairs.ts';
import { inValues } from '../../database/sql/select-values.ts';
import type { Caller } from '../services.ts';

/** A policy that lets the caller use a service. */
export interface AccessPolicy {
  readonly id: string;
  readonly type: 'Dial' | 'Bind';
}

/** Reads the policies that let the caller use these services, by the id of the service, in the order of their ids. */
export async function readAccess(
  caller: Caller,
  services: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, readonly AccessPolicy[]>> {
  const { entities, session } = caller;
  if (!session) return new Map();
  const own = { policies: 'servicePolicies', field: 'identityRoles' } as const;
  const policyIds = await policiesOf(caller, own, session.principal.id);
  if (policyIds.length === 0) return new Map();
  const entityIds = services.map(({ id }) => id);
  const [policies, pairs] = await Promise.all([
    entities.db
      .selectFrom('servicePolicies')
      .select(['id', 'type'])
      .where('id', 'in', inValues(entities.sql, policyIds))
      .orderBy('id')
      .execute(),
    readPairs(caller, { policies: 'servicePolicies', field: 'serviceRoles', policyIds, entityIds }),
  ]);
  const byService = Map.groupBy(pairs, ({ entityId }) => entityId);
  return new Map(
    [...byService].map(([id, all]) => {
      const selected = new Set(all.map(({ policyId }) => policyId));
      return [id, policies.filter((policy) => selected.has(policy.id))];
    }),
  );
}
