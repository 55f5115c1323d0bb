import type { EntityRef } from '@edge-controller/shared-types';
import type { Readers } from '../../crud/dependencies.ts';
import { readPairs, readSelecting } from '../../crud/policy-pairs.ts';
import { readStates } from '../../crud/read.ts';
import { readRefs } from '../../crud/read-refs.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { PostureCheck } from '../posture/posture-check.ts';

/** The ids of the policies that select an identity or a service, in ascending order. */
export interface Selecting {
  readonly servicePolicies: readonly string[];
  /** The policies that give it edge routers. */
  readonly routerPolicies: readonly string[];
}

/** A service policy, as far as it decides who may use a service. */
export interface ServicePolicy {
  readonly id: string;
  readonly ref: EntityRef;
  readonly type: 'Dial' | 'Bind';
  /** All of them must pass. */
  readonly checks: readonly PostureCheck[];
}

/** What the controller knows of an edge router, whether it is connected or not. */
export interface AccessRouter {
  readonly id: string;
  readonly name: string;
  readonly cost: number;
  readonly noTraversal: boolean;
  readonly disabled: boolean;
}

const sides = {
  identities: { routerPolicies: 'edgeRouterPolicies', field: 'identityRoles' },
  services: { routerPolicies: 'serviceEdgeRouterPolicies', field: 'serviceRoles' },
} as const;

/** Reads which policies select each of some identities or services. */
export async function loadSelecting(
  services: Readers,
  side: keyof typeof sides,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Selecting>> {
  const { routerPolicies, field } = sides[side];
  const [ofServices, ofRouters] = await Promise.all([
    readSelecting(services, { policies: 'servicePolicies', field }, ids),
    readSelecting(services, { policies: routerPolicies, field }, ids),
  ]);
  const idsOf = (pairs: typeof ofServices) => Map.groupBy(pairs, ({ entityId }) => entityId);
  const [policies, routers] = [idsOf(ofServices), idsOf(ofRouters)];
  const sorted = (pairs: typeof ofServices = []) => pairs.map(({ policyId }) => policyId).toSorted();
  return new Map(
    ids.map((id) => [id, { servicePolicies: sorted(policies.get(id)), routerPolicies: sorted(routers.get(id)) }]),
  );
}

/** Reads service policies with their posture checks. Unknown ids are left out. */
export async function loadServicePolicies(
  services: Readers,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ServicePolicy>> {
  const { database, definitions } = services;
  const [rows, refs, pairs] = await Promise.all([
    database.db
      .selectFrom('servicePolicies')
      .select(['id', 'type'])
      .where('id', 'in', inValues(database.sql, ids))
      .execute(),
    readRefs(services, 'servicePolicies', ids),
    readPairs(services, { policies: 'servicePolicies', field: 'postureCheckRoles', policyIds: ids }),
  ]);
  const checkIds = [...new Set(pairs.map(({ entityId }) => entityId))].toSorted();
  const states = await readStates(database, definitions.postureChecks, checkIds);
  const checks = new Map((states as unknown as PostureCheck[]).map((check) => [check.id, check]));
  const byPolicy = Map.groupBy(pairs, ({ policyId }) => policyId);
  return new Map(
    rows.flatMap(({ id, type }): [string, ServicePolicy][] => {
      const ref = refs.get(id);
      const own = (byPolicy.get(id) ?? []).map(({ entityId }) => entityId).toSorted();
      return ref ? [[id, { id, ref, type, checks: own.flatMap((checkId) => checks.get(checkId) ?? []) }]] : [];
    }),
  );
}

/** Reads the ids of the edge routers that each of some policies gives. */
export async function loadRouterIds(
  services: Readers,
  policies: 'edgeRouterPolicies' | 'serviceEdgeRouterPolicies',
  policyIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const pairs = await readPairs(services, { policies, field: 'edgeRouterRoles', policyIds });
  const byPolicy = Map.groupBy(pairs, ({ policyId }) => policyId);
  return new Map(policyIds.map((id) => [id, (byPolicy.get(id) ?? []).map(({ entityId }) => entityId)]));
}

/** Reads edge routers. Unknown ids are left out. */
export async function loadRouters(
  { database }: Readers,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AccessRouter>> {
  const rows = await database.db
    .selectFrom('edgeRouters')
    .select(['id', 'name', 'cost', 'noTraversal', 'disabled'])
    .where('id', 'in', inValues(database.sql, ids))
    .execute();
  return new Map(
    rows.map((row) => [row.id, { ...row, noTraversal: row.noTraversal === 1, disabled: row.disabled === 1 }]),
  );
}
