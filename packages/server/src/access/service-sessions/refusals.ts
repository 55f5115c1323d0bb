import type { FailedServiceRequest, PostureCheckFailure } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import { isoTime } from '../../core/time/clock.ts';
import { checkKinds } from '../posture/checks/index.ts';
import type { PostureCheck, PostureFacts } from '../posture/posture-check.ts';
import { postureFactsOf } from '../posture/posture-facts.ts';
import type { ServicePolicy } from '../service-access/load-access.ts';
import type { SessionCall } from './dependencies.ts';
import type { SessionHolder } from './holder.ts';
import type { Right, Wanted } from './service-sessions.ts';

/** How many refusals of one API session are kept, and their bytes as JSON text: the newest. */
const maxRefusals = 100;
const maxBytes = 16_384;
const maxTries = 5;

interface Refusal {
  readonly holder: SessionHolder;
  readonly wanted: Wanted;
  readonly right: Right;
}

/** Records for administrators why posture checks have refused a session. Returns the error for the client. */
export async function addRefusal(call: SessionCall, { holder, wanted, right }: Refusal): Promise<ApiError> {
  const { judgement, access } = right;
  const policies = 'policies' in judgement ? judgement.policies : [];
  const { record, principal } = holder;
  const now = call.clock();
  const facts = postureFactsOf(record, { mfaId: principal.mfaId, data: await holder.posture(), now });
  const failed = policies.map((policy) => ({ policy, checks: failingChecks(policy, facts) }));
  await store(call, record.tokenHash, {
    when: isoTime(now),
    apiSessionId: record.id,
    serviceId: wanted.serviceId,
    serviceName: access.service?.name ?? '',
    sessionType: wanted.type,
    policyFailures: failed.map(({ policy, checks }) => ({
      policyId: policy.id,
      policyName: policy.ref.name ?? '',
      checks: checks.map((check) => failureOf(check, facts)),
    })),
  });
  const names = policies.map(({ ref }) => ref.name).join(', ');
  return new ApiError('INVALID_POSTURE', {
    cause: {
      message: `posture checks of these service policies do not pass: ${names}`,
      data: Object.fromEntries(
        failed.map(({ policy, checks }) => [
          policy.id,
          checks.map(({ id, typeId }) => ({ id, typeId, isPassing: false })),
        ]),
      ),
    },
  });
}

/** Reads the refusals of some API sessions, the oldest first. */
export async function readRefusals(
  { sessions }: Pick<SessionCall, 'sessions'>,
  tokenHashes: readonly string[],
): Promise<readonly FailedServiceRequest[]> {
  const texts = await sessions.data.read(tokenHashes, 'refusals');
  return texts.flatMap(listOf).toSorted((one, other) => (one.when < other.when ? -1 : 1));
}

function failingChecks({ checks }: ServicePolicy, facts: PostureFacts): PostureCheck[] {
  return checks.filter((check) => !checkKinds[check.typeId].evaluate(check, facts).isPassing);
}

function failureOf(check: PostureCheck, facts: PostureFacts): PostureCheckFailure {
  const { id: postureCheckId, name: postureCheckName, typeId: postureCheckType } = check;
  return { postureCheckId, postureCheckName, postureCheckType, ...checkKinds[postureCheckType].failure(check, facts) };
}

/** Adds a refusal unless others change the list all the time: the client waits for the response. */
async function store({ sessions }: SessionCall, tokenHash: string, refusal: FailedServiceRequest): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const [before = null] = await sessions.data.read([tokenHash], 'refusals');
    const after = textOf([...listOf(before), refusal]);
    if ((await sessions.data.replace(tokenHash, 'refusals', { before, after })) !== 'changed') return;
  }
}

function listOf(json: string | null): FailedServiceRequest[] {
  return json === null ? [] : (JSON.parse(json) as { readonly list: FailedServiceRequest[] }).list;
}

/** The newest that fit, as JSON text. One that is too long alone loses what the device has and must have. */
function textOf(refusals: readonly FailedServiceRequest[]): string {
  const kept = refusals.slice(-maxRefusals);
  while (kept.length > 1 && textLength(kept) > maxBytes) kept.shift();
  if (textLength(kept) <= maxBytes) return JSON.stringify({ list: kept });
  return JSON.stringify({ list: kept.map((refusal) => ({ ...refusal, policyFailures: [] })) });
}

function textLength(list: readonly FailedServiceRequest[]): number {
  return Buffer.byteLength(JSON.stringify({ list }));
}
