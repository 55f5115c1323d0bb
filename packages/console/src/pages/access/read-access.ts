import type { FailedServiceRequest, PolicyAdvice } from '@edge-controller/sdk';
import { filter } from '@edge-controller/sdk';
import { useQuery } from '@tanstack/react-query';
import { edge } from '../../session/edge.ts';

/** Whom the page is about. */
export interface Pair {
  readonly identityId: string;
  readonly serviceId: string;
}

/** Policy advice with the names of both. */
export interface Advice extends PolicyAdvice {
  readonly identityName: string;
  readonly serviceName: string;
}

export interface DialPolicy {
  readonly id: string;
  readonly name: string;
}

export interface DialPolicies {
  /** The policies that name both. */
  readonly both: readonly DialPolicy[];
  /** Some that name one of them. */
  readonly ofIdentity: readonly DialPolicy[];
  readonly ofService: readonly DialPolicy[];
  /** Whether the identity has more policies than were compared. */
  readonly isCut: boolean;
}

/** Policies of the identity that are compared. */
export const maxCompared = 500;
const maxShown = 10;
const isDial = filter`type = ${'Dial'}`;

const keyOf = ({ identityId, serviceId }: Pair, part: string) => ['entity', 'access', identityId, serviceId, part];

export function useAdvice(pair: Pair) {
  return useQuery({
    queryKey: keyOf(pair, 'advice'),
    queryFn: async ({ signal }): Promise<Advice> => {
      const { identityId, serviceId } = pair;
      const advice = await edge.management.identities.policyAdvice(identityId, serviceId, { signal });
      const { identity, service } = advice;
      return { ...advice, identityName: identity.name ?? identityId, serviceName: service.name ?? serviceId };
    },
  });
}

export function useDialPolicies(pair: Pair) {
  return useQuery({ queryKey: keyOf(pair, 'policies'), queryFn: ({ signal }) => readPolicies(pair, signal) });
}

/** The posture checks of a policy, as many as a picture shows. */
export function usePostureChecks(policyId: string) {
  return useQuery({
    queryKey: ['list', 'management', 'servicePolicies', policyId, 'postureChecks'],
    queryFn: async ({ signal }) => {
      const { data, meta } = await edge.management.servicePolicies.postureChecks(
        policyId,
        { limit: maxShown },
        { signal },
      );
      const checks = data.map(({ id, name, typeId }) => ({ id, name, typeId }));
      return { checks, total: meta.pagination?.totalCount ?? checks.length };
    },
  });
}

/** Whether the identity is disabled, when posture checks have refused it last, and how many terminators the service has. */
export function useCircumstances(pair: Pair) {
  const identity = useQuery({
    queryKey: keyOf(pair, 'identity'),
    queryFn: ({ signal }) => edge.management.identities.get(pair.identityId, { signal }),
  });
  const refusal = useQuery({
    queryKey: keyOf(pair, 'refusal'),
    queryFn: async ({ signal }) =>
      lastRefusal(
        (await edge.management.identities.failedServiceRequests(pair.identityId, { signal })).data,
        pair.serviceId,
      ),
  });
  const terminators = useQuery({
    queryKey: keyOf(pair, 'terminators'),
    queryFn: async ({ signal }) =>
      (await edge.management.services.terminators(pair.serviceId, { limit: 1 }, { signal })).meta.pagination
        ?.totalCount ?? 0,
  });
  return { isDisabled: identity.data?.disabled === true, refusal: refusal.data ?? null, terminators: terminators.data };
}

async function readPolicies({ identityId, serviceId }: Pair, signal: AbortSignal): Promise<DialPolicies> {
  const { identities, services } = edge.management;
  const [own, some] = await Promise.all([
    identities.servicePolicies(identityId, { filter: isDial, sort: 'name', limit: maxCompared }, { signal }),
    services.servicePolicies(serviceId, { filter: isDial, sort: 'name', limit: maxShown }, { signal }),
  ]);
  const ids = own.data.map(({ id }) => id);
  const both = ids.length === 0 ? [] : await readBoth(serviceId, ids, signal);
  return {
    both: both.map(shown),
    ofIdentity: own.data.slice(0, maxShown).map(shown),
    ofService: some.data.map(shown),
    isCut: (own.meta.pagination?.totalCount ?? 0) > ids.length,
  };
}

/** Ids that one request asks for: they stand in its address. */
const idsPerRequest = 100;

async function readBoth(serviceId: string, ids: readonly string[], signal: AbortSignal) {
  const found = [];
  for (let start = 0; start < ids.length && found.length < maxShown; start += idsPerRequest) {
    const query = {
      filter: `${isDial} and ${filter`id in ${ids.slice(start, start + idsPerRequest)}`}`,
      limit: maxShown,
    };
    found.push(...(await edge.management.services.servicePolicies(serviceId, query, { signal })).data);
  }
  return found.slice(0, maxShown);
}

function shown({ id, name }: DialPolicy): DialPolicy {
  return { id, name };
}

function lastRefusal(requests: readonly FailedServiceRequest[], serviceId: string): FailedServiceRequest | null {
  const ofService = requests.filter((request) => request.serviceId === serviceId);
  return ofService.toSorted((a, b) => b.when.localeCompare(a.when))[0] ?? null;
}
