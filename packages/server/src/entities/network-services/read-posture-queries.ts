import type { EntityData } from '@edge-controller/shared-types';
import { checkKinds } from '../../access/posture/checks/index.ts';
import type { PostureCheck, PostureFacts } from '../../access/posture/posture-check.ts';
import { noPostureFacts, postureFactsOf } from '../../access/posture/posture-facts.ts';
import { shownEnd, shownTimeout } from '../../access/posture/shown-timeout.ts';
import { isoTime } from '../../core/time/clock.ts';
import { linksOf } from '../../crud/links.ts';
import { readPairs } from '../../crud/policy-pairs.ts';
import { readStates } from '../../crud/read.ts';
import type { Caller } from '../dependencies.ts';
import type { AccessPolicy } from './read-access.ts';

type Queries = EntityData<'services'>['postureQueries'];
type Query = Queries[number]['postureQueries'][number];
type Permissions = EntityData<'services'>['permissions'];

/** Reads the posture checks of policies. Returns what a service shows of those that let the caller use it. */
export async function readPostureQueries(
  caller: Caller,
  policies: readonly AccessPolicy[],
): Promise<(policies: readonly AccessPolicy[], permissions: Permissions) => Queries> {
  const policyIds = [...new Set(policies.map(({ id }) => id))];
  const [pairs, anyCheck] = await Promise.all([
    readPairs(caller, { policies: 'servicePolicies', field: 'postureCheckRoles', policyIds }),
    caller.database.db.selectFrom('postureChecks').select('id').limit(1).executeTakeFirst(),
  ]);
  const entity = caller.definitions.postureChecks;
  const checkIds = [...new Set(pairs.map(({ entityId }) => entityId))];
  const checks = (await readStates(caller.database, entity, checkIds)) as unknown as PostureCheck[];
  const facts = checks.length > 0 ? await factsOf(caller) : noPostureFacts(caller.clock());
  const queries = new Map(
    checks.map((check) => [check.id, { ...queryOf(check, facts), _links: linksOf(entity.contract, check) }]),
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

/** What is known of the device of the caller. Services that are shown as another identity sees them are those of no device. */
async function factsOf({ clock, posture, serviceAccess, session, view }: Caller): Promise<PostureFacts> {
  const now = clock();
  if (!session || (view && view.identityId !== session.principal.id)) return noPostureFacts(now);
  const { record, principal } = session;
  await serviceAccess.refresh();
  const { data } = await posture.read(record.tokenHash);
  return postureFactsOf(record, { mfaId: principal.mfaId, data, now });
}

function queryOf(check: PostureCheck, facts: PostureFacts): Omit<Query, '_links'> {
  const { id, createdAt, tags, typeId, process, processes } = check;
  const outcome = checkKinds[typeId].evaluate(check, facts);
  const changedAt = outcome.changedAt === null ? [] : [isoTime(outcome.changedAt)];
  return {
    ...{ id, createdAt, tags },
    updatedAt: [check.updatedAt, ...changedAt].toSorted().at(-1) ?? check.updatedAt,
    queryType: typeId,
    isPassing: outcome.isPassing,
    ...shownTimeout(check, outcome, facts.now),
    ...shownEnd(outcome),
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
