import { createHash } from 'node:crypto';
import type { clientApi } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import { isoTime } from '../../core/time/clock.ts';
import { selectingAny } from '../../crud/policy-pairs.ts';
import { showTimeLeft } from '../../sessions/current-session.ts';
import { checkKinds } from '../posture/checks/index.ts';
import type { PostureFacts } from '../posture/posture-check.ts';
import { noPostureFacts, postureFactsOf } from '../posture/posture-facts.ts';
import type { ServicePolicy } from '../service-access/load-access.ts';
import type { Handlers, SessionCall } from './dependencies.ts';

const maxTries = 20;

/** When the services of the caller changed last: for its identity, or by what posture checks say of this API session. */
export const serviceUpdates: Handlers<typeof clientApi>['currentApiSession']['serviceUpdates'] = async (call) => {
  showTimeLeft(call);
  const [ofIdentity, ofSession] = await Promise.all([
    call.serviceUpdates.lastChangeOf(call.session.principal.id),
    lastPostureChange(call),
  ]);
  return { lastChangeAt: isoTime(Math.max(ofIdentity, ofSession)) };
};

/**
 * When posture checks have changed last what the services show. Responses, codes and mere time can all change it: so what is shown
 * now is compared with what was shown before. A change gets its time when somebody asks.
 */
async function lastPostureChange(call: SessionCall): Promise<number> {
  const policies = await policiesWithChecks(call);
  if (policies.length === 0) return 0;
  const { clock, posture, serviceUpdates, session } = call;
  const { record, principal } = session;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const stored = await posture.read(record.tokenHash);
    const facts = postureFactsOf(record, { mfaId: principal.mfaId, data: stored.data, now: clock() });
    const digest = digestOf(policies, facts);
    const { shown } = facts.data;
    const before = shown?.digest ?? digestOf(policies, noPostureFacts(facts.now));
    if (digest === before) return shown?.at ?? 0;
    const at = await serviceUpdates.takeTime(facts.now);
    const replaced = await posture.replace(record.tokenHash, stored, { ...facts.data, shown: { digest, at } });
    if (replaced === 'no session') throw new ApiError('UNAUTHORIZED');
    if (replaced === 'replaced') return at;
  }
  throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: 1 });
}

/** The policies of the caller that have posture checks and at least one service. */
async function policiesWithChecks(call: SessionCall): Promise<readonly ServicePolicy[]> {
  const { serviceAccess, session } = call;
  await serviceAccess.refresh();
  const policies = (await serviceAccess.policiesOf(session.principal.id)).filter(({ checks }) => checks.length > 0);
  const selecting = await selectingAny(call, {
    policies: 'servicePolicies',
    field: 'serviceRoles',
    policyIds: policies.map(({ id }) => id),
  });
  return policies.filter(({ id }) => selecting.has(id));
}

function digestOf(policies: readonly ServicePolicy[], facts: PostureFacts): string {
  const checks = new Map(policies.flatMap((policy) => policy.checks).map((check) => [check.id, check]));
  const outcomes = [...checks]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, check]) => [id, checkKinds[check.typeId].evaluate(check, facts)]);
  return createHash('sha256').update(JSON.stringify(outcomes)).digest('base64url');
}
