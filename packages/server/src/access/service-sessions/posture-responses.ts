import type { clientApi, PostureResponse, PostureResponseCreate } from '@edge-controller/shared-types';
import { ApiError, invalidField } from '../../core/api-error.ts';
import { readPairs } from '../../crud/policy-pairs.ts';
import { readRefs } from '../../crud/read-refs.ts';
import { checkKinds } from '../posture/checks/index.ts';
import type { Outcome, PostureCheck, PostureFacts } from '../posture/posture-check.ts';
import { maxPostureBytes, withResponses } from '../posture/posture-data.ts';
import { postureFactsOf } from '../posture/posture-facts.ts';
import { shownTimeout } from '../posture/shown-timeout.ts';
import type { ServicePolicy } from '../service-access/load-access.ts';
import type { Handlers, SessionCall } from './dependencies.ts';

const maxTries = 20;

type Responses = readonly PostureResponseCreate[];

/** What the client of an API session says about its device. Sessions of services that lose their right by that end first. */
export const postureResponses: Handlers<typeof clientApi>['postureResponses'] = {
  create: (call, { body }) => apply(call, [body]),
  createBulk: (call, { body }) => apply(call, body),
};

/** A posture check with what it said before and after the responses. */
interface Judged {
  readonly check: PostureCheck;
  readonly before: Outcome;
  readonly after: Outcome;
}

async function apply(call: SessionCall, responses: Responses): Promise<PostureResponse> {
  const { serviceAccess, serviceSessions, session } = call;
  if (responses.length === 0) return { services: [] };
  await serviceAccess.refresh();
  const policies = await serviceAccess.policiesOf(session.principal.id);
  const judged = await store(call, { responses, policies });
  const changed = judged.filter(({ before, after }) => isOther(before, after));
  if (changed.some(({ before, after }) => before.isPassing && !after.isPassing)) {
    await serviceSessions.endLost(session.stored);
  }
  return { services: await shortened(call, changed, policies) };
}

/** Stores what the responses say. Returns what the posture checks of the caller say before and after that. */
async function store(
  call: SessionCall,
  { responses, policies }: { readonly responses: Responses; readonly policies: readonly ServicePolicy[] },
): Promise<readonly Judged[]> {
  const { clock, posture, serviceSessions, session } = call;
  const { tokenHash } = session.record;
  const checks = [...new Map(policies.flatMap((policy) => policy.checks).map((check) => [check.id, check])).values()];
  for (let tries = 0; tries < maxTries; tries += 1) {
    const now = clock();
    const stored = await posture.read(tokenHash);
    const facts = postureFactsOf(session.record, { mfaId: session.principal.mfaId, data: stored.data, now });
    const before = checks.map((check) => outcomeOf(check, facts));
    // What the client says now must not bring back what time has ended.
    if (before.some(({ isPassing, endsAt }) => !isPassing && endsAt !== null))
      await serviceSessions.endLost(session.stored);
    const data = withResponses(stored.data, responses, facts);
    const judged = checks.map((check, at) => ({
      check,
      before: before[at] as Outcome,
      after: outcomeOf(check, { ...facts, data }),
    }));
    if (Buffer.byteLength(JSON.stringify(data)) > maxPostureBytes) {
      throw invalidField('body', `an API session has at most ${maxPostureBytes} bytes of posture data`);
    }
    const takesBack = judged.some(isWorse);
    const generation = stored.data.generation + Number(takesBack);
    const replaced = await posture.replace(tokenHash, stored, { ...data, generation });
    if (replaced === 'no session') throw new ApiError('UNAUTHORIZED');
    if (replaced === 'changed') continue;
    if (takesBack) await posture.takeBack(tokenHash, stored.data);
    return judged;
  }
  throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: 1 });
}

function outcomeOf(check: PostureCheck, facts: PostureFacts): Outcome {
  return checkKinds[check.typeId].evaluate(check, facts);
}

/** Whether a check passes for a shorter time than before, or not any more. */
function isWorse({ before, after }: Judged): boolean {
  const endOf = ({ isPassing, endsAt }: Outcome) => (isPassing ? (endsAt ?? Number.POSITIVE_INFINITY) : 0);
  return endOf(after) < endOf(before);
}

function isOther(one: Outcome, other: Outcome): boolean {
  return one.isPassing !== other.isPassing || one.endsAt !== other.endsAt;
}

/** The services for which a TOTP code is needed sooner than before. */
async function shortened(
  call: SessionCall,
  changed: readonly Judged[],
  policies: readonly ServicePolicy[],
): Promise<PostureResponse['services']> {
  const now = call.clock();
  const sooner = changed.filter(({ check, before, after }) => {
    const end = before.endsAt ?? Number.POSITIVE_INFINITY;
    return check.typeId === 'MFA' && before.isPassing && after.endsAt !== null && after.endsAt < end;
  });
  const withCheck = policies.flatMap(({ id, checks }) => {
    const judged = sooner.find(({ check }) => checks.some((each) => each.id === check.id));
    return judged ? [[id, judged] as const] : [];
  });
  const byPolicy = new Map(withCheck);
  const pairs = await readPairs(call, {
    policies: 'servicePolicies',
    field: 'serviceRoles',
    policyIds: [...byPolicy.keys()],
  });
  const byService = new Map(pairs.map(({ policyId, entityId }) => [entityId, byPolicy.get(policyId)]));
  const refs = await readRefs(call, 'services', [...byService.keys()]);
  return [...byService].flatMap(([id, judged]) => {
    const name = refs.get(id)?.name;
    if (name === undefined || !judged) return [];
    return [{ id, name, postureQueryType: 'MFA', ...shownTimeout(judged.check, judged.after, now) }];
  });
}
