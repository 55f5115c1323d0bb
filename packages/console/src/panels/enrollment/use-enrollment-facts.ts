import { useQuery } from '@tanstack/react-query';
import { edge } from '../../session/edge.ts';
import type { AuditEntry, EnrollmentFacts } from './enrollment-facts.ts';

/** An identity has one enrollment of each method, and few credentials. */
const shownRows = 20;
const shownEntries = 10;
/** Milliseconds between two checks of what a device may have done. */
const interval = 5_000;
const watched = { refetchInterval: interval };

interface EnrollmentFactsState {
  /** `null` while it loads, and after an error. */
  readonly facts: EnrollmentFacts | null;
  readonly error: unknown;
}

/** Reads what is known of the enrollment of an identity, again and again while the page is open. */
export function useEnrollmentFacts(id: string): EnrollmentFactsState {
  const { identities, authPolicies, cas } = edge.management;
  const key = ['entity', 'management', 'identities', id];
  const identity = useQuery({ queryKey: key, queryFn: () => identities.get(id), ...watched });
  const enrollments = useQuery({
    ...{ queryKey: [...key, 'enrollments', 'path'], ...watched },
    queryFn: async () => (await identities.enrollments(id, { limit: shownRows })).data,
  });
  const authenticators = useQuery({
    ...{ queryKey: [...key, 'authenticators', 'path'], ...watched },
    queryFn: async () => (await identities.authenticators(id, { limit: shownRows })).data,
  });
  const onIdentity = useAuditEntries(`entityId = "${id}"`);
  const byIdentity = useAuditEntries(`identityId = "${id}" and event = "authentication.succeeded"`);
  const policyId = identity.data?.authPolicyId ?? '';
  const policy = useQuery({
    queryKey: ['entity', 'management', 'authPolicies', policyId],
    queryFn: () => authPolicies.get(policyId),
    enabled: policyId !== '',
  });
  const caId = enrollments.data?.find((enrollment) => enrollment.caId)?.caId ?? '';
  const ca = useQuery({
    queryKey: ['entity', 'management', 'cas', caId],
    queryFn: () => cas.get(caId),
    enabled: caId !== '',
  });
  const error = identity.error ?? enrollments.error ?? authenticators.error;
  if (!identity.data || !enrollments.data || !authenticators.data) return { facts: null, error };
  const facts = {
    ...{ identity: identity.data, enrollments: enrollments.data, authenticators: authenticators.data },
    ...{ policy: policy.data ?? null, ca: ca.data ?? null, now: Date.now() },
    entries: [...onIdentity, ...byIdentity].toSorted((a, b) => b.sequence - a.sequence),
  };
  return { facts, error };
}

function useAuditEntries(filter: string): readonly AuditEntry[] {
  const { data } = useQuery({
    ...{ queryKey: ['list', 'management', 'auditLog', filter], ...watched },
    queryFn: async () => (await edge.management.auditLog.list({ filter, limit: shownEntries })).data,
  });
  return data ?? [];
}
