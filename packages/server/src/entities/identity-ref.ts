import type { EntityRef, Links } from '@edge-controller/shared-types';

const relations = [
  'authenticators',
  'edge-router-policies',
  'edge-routers',
  'enrollments',
  'failed-service-requests',
  'posture-data',
  'service-configs',
  'service-policies',
  'services',
] as const;

/** The relations of an identity on the wire, relative to the API root. */
export function identityLinks({ id, authPolicyId }: { id: string; authPolicyId: string }): Links {
  const self = `./identities/${id}`;
  const links: Links = { 'auth-policies': { href: `./auth-policies/${authPolicyId}` } };
  for (const relation of relations) links[relation] = { href: `${self}/${relation}` };
  links.self = { href: self };
  return links;
}

export function identityRef(identity: { id: string; name: string; authPolicyId: string }): EntityRef {
  return { _links: identityLinks(identity), entity: 'identities', id: identity.id, name: identity.name };
}
