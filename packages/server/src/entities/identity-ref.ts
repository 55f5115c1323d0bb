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

/** Returns the links of an identity, relative to the API root. */
export function identityLinks({ id, authPolicyId }: { id: string; authPolicyId: string }): Links {
  const self = `./identities/${id}`;
  const links: Links = { 'auth-policies': { href: `./auth-policies/${authPolicyId}` } };
  for (const relation of relations) links[relation] = { href: `${self}/${relation}` };
  links.self = { href: self };
  return links;
}

export function identityRef(identity: ReferencedIdentity): EntityRef {
  return { _links: identityLinks(identity), entity: 'identities', id: identity.id, name: identity.name };
}

/** The data for a reference to an identity. */
export interface ReferencedIdentity {
  readonly id: string;
  readonly name: string;
  readonly authPolicyId: string;
}

/** Reads the identities of the rows in one query. Returns them by id. */
export async function referencedIdentities(
  { entities }: Call,
  rows: readonly { readonly identityId: string }[],
): Promise<ReadonlyMap<string, ReferencedIdentity>> {
  if (rows.length === 0) return new Map();
  const identities = await entities.db
    .selectFrom('identities')
    .select(['id', 'name', 'authPolicyId'])
    .where('id', 'in', [...new Set(rows.map((row) => row.identityId))])
    .execute();
  return new Map(identities.map((identity) => [identity.id, identity]));
}
