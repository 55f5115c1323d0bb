import { isEdgeApiError } from '@edge-controller/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQueries } from '@tanstack/react-query';
import { explainError } from '../../api/explain-error.ts';
import type { AccessFacts, Known } from './access-facts.ts';
import type { Advice, CheckedPolicy, Pair } from './read-access.ts';
import {
  maxShown,
  postureChecksOf,
  useDialPolicies,
  useHasSession,
  useHosts,
  useIdentity,
  usePosture,
} from './read-access.ts';

/** All that decides whether an identity can dial a service; `null` until everything was asked. */
export function useAccessFacts(pair: Pair, advice: Advice): AccessFacts | null {
  const identity = knownOf(useIdentity(pair), 'the identity');
  const posture = knownOf(usePosture(pair), 'what its device has reported');
  const hasSession = knownOf(useHasSession(pair), 'sessions');
  const hosts = knownOf(useHosts(pair), 'who hosts the service');
  const policies = useCheckedPolicies(pair);
  if (!identity || !posture || !hasSession || !hosts || !policies) return null;
  return { pair, advice, identity, posture, hasSession, hosts, policies };
}

function useCheckedPolicies(pair: Pair): AccessFacts['policies'] | null {
  const query = useDialPolicies(pair);
  const policies = knownOf(query, 'service policies');
  const results = useQueries({ queries: (query.data?.both ?? []).map(({ id }) => postureChecksOf(id)) });
  if (policies === null || 'gap' in policies) return policies;
  const checked: CheckedPolicy[] = [];
  for (const result of results) {
    const known = knownOf(result, 'posture checks');
    if (known === null || 'gap' in known) return known;
    checked.push(known.value);
  }
  return { value: { checked, isCut: policies.value.isCut || checked.length >= maxShown } };
}

/** `null` while it loads. `what`: as in "You may not read …". */
function knownOf<Value>({ data, error }: UseQueryResult<Value>, what: string): Known<Value> | null {
  if (isEdgeApiError(error, 'UNAUTHORIZED')) return { gap: `You may not read ${what}.` };
  if (data !== undefined) return { value: data };
  return error === null ? null : { gap: explainError(error).text };
}
