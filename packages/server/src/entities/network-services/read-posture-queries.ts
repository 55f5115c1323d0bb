import type { contracts, ServiceDetail } from '@edge-controller/shared-types';
import { linksOf } from '../../crud/links.ts';
import { readPairs } from '../../crud/policy-pairs.ts';
import { readStates } from '../../crud/read.ts';
import type { State } from '../../crud/state.ts';
import type { Caller } from '../services.ts';
import type { AccessPolicy } from './read-access.ts';

type PostureCheck = State<(typeof contracts)['postureChecks']['fields']>;
type Queries = ServiceDetail['postureQueries'];
type Query = Queries[number]['postureQueries'][number];
type Permissions = ServiceDetail['permissions'];

const never = -1;

/** Reads the posture checks of policies. Returns what a service shows of those that let the caller use it. */
export async function readPostureQueries(
  caller: Caller,
  policies: readonly AccessPolicy[],
): Promise<(policies: readonly AccessPolicy[], permissions: Permissions) => Queries> {
  const policyIds = [...new Set(policies.map(({ id }) => id))];
  const [pairs, anyCheck] = await Promise.all([
    readPairs(caller, { policies: 'servicePolicies', field: 'postureCheckRoles', policyIds }),
    caller.entities.db.selectFrom('postureChecks').select('id').limit(1).executeTakeFirst(),
  ]);
  const entity = caller.definitions.postureChecks;
  const checkIds = [...new Set(pairs.map(({ entityId }) => entityId))];
  const checks = (await readStates(caller.entities, entity, checkIds)) as unknown as PostureCheck[];
  const queries = new Map(
    checks.map((check) => [check.id, { ...queryOf(check), _links: linksOf(entity.contract, check) }]),
  );
  const byPolicy = Map.groupBy(pairs, ({ policyId }) => policyId);
  const shownOf = ({ id, type }: AccessPolicy) => {
    const checkIdsOf = (byPolicy.get(id) ?? []).map(({ entityId }) => entityId).toSorted();
    const postureQueries = checkIdsOf.flatMap((checkId) => queries.get(checkId) ?? []);
    const isPassing = postureQueries.every((query) => query.isPassing);
    return { policyId: id, policyType: type, isPassing, postureQueries };
  };
  return (own, permissions) =>
    anyCheck && own.length > 0 ? own.map(shownOf) : permissions.map((permission) => withoutChecks(permission));
}

/** Clients take a list without an element for "no access". */
function withoutChecks(policyType: Permissions[number]): Queries[number] {
  const policyId = `dummy ${policyType.toLowerCase()} policy: no posture checks defined`;
  return { policyId, policyType, isPassing: true, postureQueries: [] };
}

/** Nobody can prove anything about a device yet, so no check passes. */
function queryOf(check: PostureCheck): Omit<Query, '_links'> {
  const { id, createdAt, updatedAt, tags, typeId, process, processes, timeoutSeconds } = check;
  const timeout = timeoutSeconds ?? never;
  return {
    ...{ id, createdAt, updatedAt, tags },
    queryType: typeId,
    isPassing: false,
    timeout,
    timeoutRemaining: timeout === never ? never : 0,
    ...(typeId === 'MFA' && {
      promptOnWake: Boolean(check.promptOnWake),
      promptOnUnlock: Boolean(check.promptOnUnlock),
    }),
    ...(process && { process: programOf(process) }),
    processes: processes?.map(programOf) ?? null,
  };
}

function programOf({ osType, path }: NonNullable<Query['process']>): NonNullable<Query['process']> {
  return { osType, path };
}
