import type { EntityRef, Links } from '@edge-controller/shared-types';
import type { Call } from '../call.ts';

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

export function identityRef(identity: ReferredIdentity): EntityRef {
  return { _links: identityLinks(identity), entity: 'identities', id: identity.id, name: identity.name };
}

/** What is needed to refer to an identity. */
export interface ReferredIdentity {
  readonly id: string;
  readonly name: string;
  readonly authPolicyId: string;
}

/** The identities that rows belong to, by id, in one query. */
export async function referredIdentities(
  { entities }: Call,
  rows: readonly { readonly identityId: string }[],
): Promise<ReadonlyMap<string, ReferredIdentity>> {
  if (rows.length === 0) return new Map();
  const identities = await entities.db
    .selectFrom('identities')
    .select(['id', 'name', 'authPolicyId'])
    .where('id', 'in', [...new Set(rows.map((row) => row.identityId))])
    .execute();
  return new Map(identities.map((identity) => [identity.id, identity]));
}
