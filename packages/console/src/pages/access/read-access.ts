import type { FailedServiceRequest, PolicyAdvice, PostureData } from '@edge-controller/sdk';
import { filter } from '@edge-controller/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
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

/** A policy with its posture checks; `total`: how many it has. */
export interface CheckedPolicy {
  readonly checks: readonly Pick<PostureCheck, 'id' | 'name' | 'typeId'>[];
  readonly total: number;
}

type PostureCheck = Awaited<ReturnType<typeof edge.management.postureChecks.get>>;

export interface Posture {
  readonly data: PostureData;
  readonly refusal: FailedServiceRequest | null;
}

export interface Hosts {
  /** Terminators of the service. */
  readonly count: number;
  /** Whether one is on a router that is online. `null`: there are more than were checked. */
  readonly isOnline: boolean | null;
}

/** Policies of the identity that are compared. */
export const maxCompared = 500;
/** Policies and posture checks that are shown. */
export const maxShown = 10;
const maxHosts = 100;
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
export function postureChecksOf(policyId: string) {
  return queryOptions({
    queryKey: ['list', 'management', 'servicePolicies', policyId, 'postureChecks'],
    queryFn: async ({ signal }): Promise<CheckedPolicy> => {
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

export function useIdentity({ identityId }: Pair) {
  return useQuery({
    queryKey: ['entity', 'management', 'identities', identityId],
    queryFn: () => edge.management.identities.get(identityId),
  });
}

/** What the devices of the identity have reported, and when posture checks have refused it last. */
export function usePosture(pair: Pair) {
  return useQuery({
    queryKey: keyOf(pair, 'posture'),
    queryFn: async ({ signal }): Promise<Posture> => {
      const { identities } = edge.management;
      const [data, refusals] = await Promise.all([
        identities.postureData(pair.identityId, { signal }),
        identities.failedServiceRequests(pair.identityId, { signal }),
      ]);
      return { data, refusal: lastRefusal(refusals.data, pair.serviceId) };
    },
  });
}

/** Whether a session of the identity dials the service now. The controller judges each session that it lists. */
export function useHasSession({ identityId, serviceId }: Pair) {
  return useQuery({
    queryKey: keyOf({ identityId, serviceId }, 'sessions'),
    queryFn: async ({ signal }) => {
      const query = {
        filter: filter`identity = ${identityId} and service = ${serviceId} and type = ${'Dial'}`,
        limit: maxShown,
      };
      return (await edge.management.sessions.list(query, { signal })).data.length > 0;
    },
  });
}

/** The terminators of the service. */
export function useHosts(pair: Pair) {
  return useQuery({
    queryKey: keyOf(pair, 'hosts'),
    queryFn: async ({ signal }): Promise<Hosts> => {
      const { services, transitRouters } = edge.management;
      const { data, meta } = await services.terminators(pair.serviceId, { limit: maxHosts }, { signal });
      const count = meta.pagination?.totalCount ?? data.length;
      if (count === 0) return { count, isOnline: false };
      const routerIds = [...new Set(data.map(({ routerId }) => routerId))];
      const routers = await transitRouters.list({ filter: filter`id in ${routerIds}`, limit: maxHosts }, { signal });
      const isOnline = routers.data.some((router) => router.isOnline) || (count > data.length ? null : false);
      return { count, isOnline };
    },
  });
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
  const ofService = requests.filter((each) => each.serviceId === serviceId && each.sessionType === 'Dial');
  return ofService.toSorted((a, b) => b.when.localeCompare(a.when))[0] ?? null;
}
