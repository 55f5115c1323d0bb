import type { AccessFacts, Condition, Remedy } from './access-facts.ts';
import { judgePosture } from './judge-posture.ts';

/** What an identity needs to dial a service, in the order of the way. */
export function judgeAccess(facts: AccessFacts): readonly Condition[] {
  return [
    judgeIdentity(facts),
    judgePolicy(facts),
    ...(facts.advice.isDialAllowed ? [judgePosture(facts)] : []),
    judgeRouters(facts),
    judgeHosts(facts),
  ];
}

/** The state of the worst condition. */
export function worstOf(conditions: readonly Condition[]): Condition['state'] {
  const states = conditions.map(({ state }) => state);
  return (['bad', 'unknown'] as const).find((state) => states.includes(state)) ?? 'ok';
}

function judgeIdentity({ identity, advice: { identityName } }: AccessFacts): Condition {
  const title = 'Identity';
  if ('gap' in identity) return { title, state: 'unknown', text: identity.gap };
  return identity.value.disabled
    ? { title, state: 'bad', text: `${identityName} is disabled and cannot sign in.` }
    : { title, state: 'ok', text: `${identityName} is not disabled.` };
}

function judgePolicy({ advice: { identityName, serviceName, isDialAllowed }, pair }: AccessFacts): Condition {
  const title = 'Service policy';
  if (isDialAllowed) {
    return { title, state: 'ok', text: `A policy of type Dial names both ${identityName} and ${serviceName}.` };
  }
  const roles = { identityRoles: [`@${pair.identityId}`], serviceRoles: [`@${pair.serviceId}`] };
  return {
    ...{ title, state: 'bad' },
    text: `No service policy of type Dial names both ${identityName} and ${serviceName}.`,
    remedy: { resource: 'servicePolicies', fields: { type: 'Dial', semantic: 'AnyOf', ...roles } },
  };
}

function judgeRouters({ advice, pair }: AccessFacts): Condition {
  const title = 'Edge router';
  const { identityName, serviceName, identityRouterCount = 0, serviceRouterCount = 0 } = advice;
  const routers = advice.commonRouters ?? [];
  const bad = (text: string, remedy: Remedy): Condition => ({ title, state: 'bad', text, remedy });
  const everyRouter = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
  if (identityRouterCount === 0) {
    const fields = { ...everyRouter, identityRoles: [`@${pair.identityId}`] };
    return bad(`No edge router policy gives ${identityName} an edge router.`, {
      ...{ resource: 'edgeRouterPolicies', fields },
    });
  }
  if (serviceRouterCount === 0) {
    const fields = { ...everyRouter, serviceRoles: [`@${pair.serviceId}`] };
    return bad(`No service edge router policy gives ${serviceName} an edge router.`, {
      ...{ resource: 'serviceEdgeRouterPolicies', fields },
    });
  }
  const list = { resource: 'edgeRouters' };
  if (routers.length === 0) return bad(`${identityName} and ${serviceName} have no edge router in common.`, list);
  const online = routers.filter(({ isOnline }) => isOnline).map(({ name }) => name);
  if (online.length === 0) return bad('No edge router that both have is online.', list);
  const text =
    online.length === 1 ? `${online[0]} is online.` : `${online.length} edge routers that both have are online.`;
  return { title, state: 'ok', text };
}

function judgeHosts({ hosts, advice: { serviceName } }: AccessFacts): Condition {
  const title = 'Host';
  if ('gap' in hosts) return { title, state: 'unknown', text: hosts.gap };
  const { count, isOnline } = hosts.value;
  const remedy = { resource: 'terminators' };
  if (count === 0) {
    return { title, state: 'bad', text: `Nobody hosts ${serviceName} now: it has no terminator.`, remedy };
  }
  const terminators = count === 1 ? '1 terminator' : `${count.toLocaleString()} terminators`;
  if (isOnline) return { title, state: 'ok', text: `${serviceName} has ${terminators}.` };
  return isOnline === null
    ? { title, state: 'unknown', text: `${serviceName} has ${terminators}. Not all of their routers were looked at.` }
    : { title, state: 'bad', text: `${serviceName} has ${terminators}, but no router of them is online.`, remedy };
}
