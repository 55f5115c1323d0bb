import type { PolicyAdvice, ServicePolicyDetail } from '@edge-controller/sdk/node';
import { shellWord } from '../lib/shell-word.ts';
import type { AdvicePolicies, PolicyChecks } from './advice-policies.ts';
import { outcomeOf } from './advice-policies.ts';

/** More policies than these are counted only. */
const shownPolicies = 5;

/** The advice as lines, with names as they are: what is possible, through which policies and routers. */
export function linesOf(advice: PolicyAdvice, policies: AdvicePolicies | null, isPossible: boolean): string[] {
  const { isDialAllowed, isBindAllowed, commonRouters } = advice;
  const ofBoth = policies?.ofBoth ?? [];
  const routers = (commonRouters ?? []).map(({ name, isOnline }) => `${name} (${isOnline ? 'online' : 'offline'})`);
  const dial = isPossible ? dialWord(ofBoth) : 'not possible, although a policy allows it';
  const bind = outcomeOf(ofBoth, 'Bind') === 'fails' ? 'not possible, although a policy allows it' : 'allowed';
  return [
    `dial: ${isDialAllowed ? dial : 'not allowed'}`,
    `bind: ${isBindAllowed ? bind : 'not allowed'}`,
    ...ofBoth.flatMap(policyLines),
    `edge routers: ${routers.join(', ') || 'none'}`,
  ];
}

function dialWord(policies: readonly PolicyChecks[]): string {
  return outcomeOf(policies, 'Dial') === 'unknown' ? 'allowed, if the posture checks pass' : 'allowed';
}

function policyLines({ name, type, checks }: PolicyChecks): string[] {
  return [
    `policy @${name} (${type})${checks.length === 0 ? ', without posture checks' : ''}`,
    ...checks.map((check) => `  posture check @${check.name} (${check.typeId}) ${check.outcome}; ${check.why}`),
  ];
}

/** What is in the way of dialing, with names as they are, and the command that shows more. Empty: nothing. */
export function obstaclesOf(advice: PolicyAdvice, policies: AdvicePolicies | null): string[] {
  return [...policyObstacles(advice, policies), ...routerObstacles(advice)];
}

function policyObstacles({ identity, isDialAllowed }: PolicyAdvice, policies: AdvicePolicies | null): string[] {
  const name = shellWord(`@${identity.name}`);
  if (isDialAllowed) {
    if (policies === null || outcomeOf(policies.ofBoth, 'Dial') !== 'fails') return [];
    const failed = policies.ofBoth
      .filter(({ type }) => type === 'Dial')
      .flatMap(({ name, checks }) =>
        checks.flatMap((check) =>
          check.outcome === 'fails'
            ? [`- the policy @${name} requires the posture check @${check.name} (${check.typeId}): ${check.why}`]
            : [],
        ),
      );
    return [...failed, `- what its clients have reported: edge identities posture-data ${name}`];
  }
  return [
    `- no service policy of the type Dial selects both: edge identities service-policies ${name}`,
    ...(policies === null ? [] : nearMisses(policies)),
  ];
}

/** The policies that select one of the two, beside the attributes of the other. */
function nearMisses({ ofService, ofIdentity, identityAttributes, serviceAttributes }: AdvicePolicies): string[] {
  const rolesOf = (policies: readonly ServicePolicyDetail[], side: 'identityRolesDisplay' | 'serviceRolesDisplay') => {
    const shown = policies.slice(0, shownPolicies).map((policy) => {
      const roles = policy[side].map(({ name }) => name).join(', ') || 'nothing';
      return `    @${policy.name} selects ${roles}${policy[side].length > 1 ? ` (${policy.semantic})` : ''}`;
    });
    return policies.length > shownPolicies ? [...shown, `    and ${policies.length - shownPolicies} more`] : shown;
  };
  const attributes = (names: readonly string[]) => names.map((name) => `#${name}`).join(', ') || 'none';
  return [
    ...(ofService.length === 0
      ? ['  No Dial policy selects the service for others.']
      : [
          `  Dial policies of the service; the attributes of the identity: ${attributes(identityAttributes)}`,
          ...rolesOf(ofService, 'identityRolesDisplay'),
        ]),
    ...(ofIdentity.length === 0
      ? []
      : [
          `  Dial policies of the identity; the attributes of the service: ${attributes(serviceAttributes)}`,
          ...rolesOf(ofIdentity, 'serviceRolesDisplay'),
        ]),
  ];
}

function routerObstacles(advice: PolicyAdvice): string[] {
  const { identity, service, identityRouterCount, serviceRouterCount } = advice;
  const routers = advice.commonRouters ?? [];
  const name = shellWord(`@${identity.name}`);
  const ofService = `edge services service-edge-router-policies ${shellWord(`@${service.name}`)}`;
  return [
    ...(identityRouterCount
      ? []
      : [`- no edge router policy gives it a router: edge identities edge-router-policies ${name}`]),
    ...(serviceRouterCount ? [] : [`- no service edge router policy gives the service a router: ${ofService}`]),
    ...(identityRouterCount && serviceRouterCount && routers.length === 0
      ? ['- the two have no edge router in common']
      : []),
    ...(routers.length > 0 && routers.every(({ isOnline }) => !isOnline)
      ? ['- none of their edge routers is online']
      : []),
  ];
}
