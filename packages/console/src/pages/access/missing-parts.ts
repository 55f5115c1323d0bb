import type { Advice } from './read-access.ts';

export interface MissingPart {
  readonly text: string;
  /** The list where somebody can add it. */
  readonly resource: string;
}

/** What keeps an identity from dialing a service. */
export function missingParts(advice: Advice): readonly MissingPart[] {
  const { identityName, serviceName, isDialAllowed, identityRouterCount = 0, serviceRouterCount = 0 } = advice;
  const routers = advice.commonRouters ?? [];
  const parts: MissingPart[] = [];
  const add = (resource: string, text: string) => parts.push({ resource, text });
  if (!isDialAllowed)
    add('servicePolicies', `No service policy of type Dial names both ${identityName} and ${serviceName}.`);
  if (identityRouterCount === 0)
    add('edgeRouterPolicies', `No edge router policy gives ${identityName} an edge router.`);
  if (serviceRouterCount === 0) {
    add('serviceEdgeRouterPolicies', `No service edge router policy gives ${serviceName} an edge router.`);
  }
  if (identityRouterCount > 0 && serviceRouterCount > 0 && routers.length === 0) {
    add('edgeRouters', `${identityName} and ${serviceName} have no edge router in common.`);
  }
  if (routers.length > 0 && routers.every(({ isOnline }) => !isOnline)) {
    add('edgeRouters', 'No edge router that both have is online.');
  }
  return parts;
}
