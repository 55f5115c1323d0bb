import { isRow } from '@edge-controller/operation-tables';
import type { NodeEdgeClient, PolicyAdvice, PostureCheckDetail, ServicePolicyDetail } from '@edge-controller/sdk/node';
import { isEdgeApiError } from '@edge-controller/sdk/node';
import { listRows } from '../api/list-rows.ts';
import type { CheckAdvice } from './advice-posture.ts';
import { adviseOn } from './advice-posture.ts';

/** A service policy that lets the identity use the service, with what its posture checks say. */
export interface PolicyChecks {
  readonly name: string;
  readonly type: ServicePolicyDetail['type'];
  readonly checks: readonly CheckAdvice[];
}

/** The service policies between an identity and a service. */
export interface AdvicePolicies {
  /** They select both. */
  readonly ofBoth: readonly PolicyChecks[];
  /** Of the type `Dial`: they select the service, and not the identity. */
  readonly ofService: readonly ServicePolicyDetail[];
  /** The same the other way round. */
  readonly ofIdentity: readonly ServicePolicyDetail[];
  readonly identityAttributes: readonly string[];
  readonly serviceAttributes: readonly string[];
}

/** Reads the policies of an identity and a service. `null`: the caller may not read them. */
export async function readPolicies(
  edge: NodeEdgeClient,
  { identityId, serviceId }: Pick<PolicyAdvice, 'identityId' | 'serviceId'>,
): Promise<AdvicePolicies | null> {
  const { identities, services } = edge.management;
  try {
    const ofIdentity = await allPolicies(edge, (query) => identities.servicePolicies(identityId, query));
    const ofService = await allPolicies(edge, (query) => services.servicePolicies(serviceId, query));
    const [identity, service] = await Promise.all([identities.get(identityId), services.get(serviceId)]);
    const isIn = (policies: readonly ServicePolicyDetail[], id: string) => policies.some((one) => one.id === id);
    return {
      ofBoth: await withChecks(
        edge,
        identityId,
        ofIdentity.filter(({ id }) => isIn(ofService, id)),
      ),
      ofService: ofService.filter(({ id, type }) => type === 'Dial' && !isIn(ofIdentity, id)),
      ofIdentity: ofIdentity.filter(({ id, type }) => type === 'Dial' && !isIn(ofService, id)),
      identityAttributes: identity.roleAttributes ?? [],
      serviceAttributes: service.roleAttributes ?? [],
    };
  } catch (error) {
    if (isEdgeApiError(error) && error.status === 401) return null;
    throw error;
  }
}

type ListCall = Parameters<typeof listRows>[1];

async function allPolicies(edge: NodeEdgeClient, list: ListCall): Promise<ServicePolicyDetail[]> {
  const { rows } = await listRows(edge, list, { limit: 'all' });
  return rows.filter(isRow) as unknown as ServicePolicyDetail[];
}

async function withChecks(
  edge: NodeEdgeClient,
  identityId: string,
  policies: readonly ServicePolicyDetail[],
): Promise<PolicyChecks[]> {
  const hasChecks = ({ postureCheckRoles }: ServicePolicyDetail) => (postureCheckRoles ?? []).length > 0;
  const data = policies.some(hasChecks) ? await edge.management.identities.postureData(identityId) : null;
  const all: PolicyChecks[] = [];
  for (const policy of policies) {
    const { id, name, type } = policy;
    const list: ListCall = (query) => edge.management.servicePolicies.postureChecks(id, query);
    const { rows } = hasChecks(policy) ? await listRows(edge, list, { limit: 'all' }) : { rows: [] };
    const checks = rows.filter(isRow) as unknown as PostureCheckDetail[];
    all.push({ name, type, checks: data === null ? [] : checks.map((check) => adviseOn(check, data)) });
  }
  return all;
}

/** Whether a posture check of each policy of the type fails, or may fail. `passes`: there is a policy without such a check. */
export function outcomeOf(policies: readonly PolicyChecks[], type: PolicyChecks['type']): CheckAdvice['outcome'] {
  const outcomes = policies.filter((policy) => policy.type === type).map(({ checks }) => outcomeOfAll(checks));
  if (outcomes.length === 0 || outcomes.includes('passes')) return 'passes';
  return outcomes.includes('unknown') ? 'unknown' : 'fails';
}

function outcomeOfAll(checks: readonly CheckAdvice[]): CheckAdvice['outcome'] {
  const has = (outcome: CheckAdvice['outcome']) => checks.some((check) => check.outcome === outcome);
  return has('fails') ? 'fails' : has('unknown') ? 'unknown' : 'passes';
}
