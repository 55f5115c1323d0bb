import type { IdentityDetail } from '@edge-controller/shared-types';
import type { Call } from '../../call.ts';
import type { Tables } from '../../stores/entity-store.ts';
import { identityLinks } from '../identity-ref.ts';
import { isDisabled } from './disabled.ts';

type IdentityRow = Tables['identities'];

/** Converts rows to identities of the API. A page of any length needs five queries. */
export async function identityDetails(call: Call, rows: readonly IdentityRow[]): Promise<IdentityDetail[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const { db } = call.entities;
  const [authenticators, enrollments, policies, mfas, live] = await Promise.all([
    db
      .selectFrom('authenticators')
      .select(['id', 'identityId', 'method', 'username'])
      .where('identityId', 'in', ids)
      .execute(),
    db.selectFrom('enrollments').selectAll().where('identityId', 'in', ids).execute(),
    db
      .selectFrom('authPolicies')
      .select(['id', 'name'])
      .where('id', 'in', [...new Set(rows.map((row) => row.authPolicyId))])
      .execute(),
    db.selectFrom('mfas').select('identityId').where('identityId', 'in', ids).where('isVerified', '=', 1).execute(),
    call.sessions.identitiesWithSessions(ids),
  ]);
  const policyNames = new Map(policies.map((policy) => [policy.id, policy.name]));
  const withMfa = new Set(mfas.map((row) => row.identityId));
  const authenticatorsOf = Map.groupBy(authenticators, (row) => row.identityId);
  const enrollmentsOf = Map.groupBy(enrollments, (row) => row.identityId);
  return rows.map((row) => ({
    ...ownMembers(row, call.clock()),
    isMfaEnabled: withMfa.has(row.id),
    authPolicy: {
      _links: { self: { href: `./auth-policies/${row.authPolicyId}` } },
      entity: 'auth-policies',
      id: row.authPolicyId,
      name: policyNames.get(row.authPolicyId) ?? '',
    },
    authenticators: authenticatorMembers(authenticatorsOf.get(row.id) ?? []),
    enrollment: enrollmentMembers(call, enrollmentsOf.get(row.id) ?? []),
    hasApiSession: live.has(row.id),
  }));
}

function ownMembers(row: IdentityRow, now: number) {
  return {
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    tags: JSON.parse(row.tags),
    _links: identityLinks(row),
    name: row.name,
    type: {
      _links: { self: { href: `./identity-types/${row.typeId}` } },
      entity: 'identity-types',
      id: row.typeId,
      name: row.typeId,
    },
    typeId: row.typeId,
    isAdmin: row.isAdmin === 1,
    isDefaultAdmin: row.isDefaultAdmin === 1,
    disabled: isDisabled(row, now),
    ...(row.disabledAt === null ? {} : { disabledAt: row.disabledAt }),
    ...(row.disabledUntil === null ? {} : { disabledUntil: row.disabledUntil }),
    externalId: row.externalId,
    authPolicyId: row.authPolicyId,
    roleAttributes: JSON.parse(row.roleAttributes),
    permissions: null,
    defaultHostingCost: row.defaultHostingCost,
    defaultHostingPrecedence: row.defaultHostingPrecedence as IdentityDetail['defaultHostingPrecedence'],
    serviceHostingCosts: JSON.parse(row.serviceHostingCosts),
    serviceHostingPrecedences: JSON.parse(row.serviceHostingPrecedences),
    appData: JSON.parse(row.appData),
    envInfo: JSON.parse(row.envInfo),
    sdkInfo: JSON.parse(row.sdkInfo),
    hasEdgeRouterConnection: false,
    edgeRouterConnectionStatus: 'offline' as const,
    interfaces: null,
  };
}

function authenticatorMembers(rows: readonly { id: string; method: string; username: string | null }[]) {
  const updb = rows.find((row) => row.method === 'updb');
  return updb ? { updb: { id: updb.id, username: updb.username ?? '' } } : {};
}

function enrollmentMembers(call: Call, rows: readonly Tables['enrollments'][]): IdentityDetail['enrollment'] {
  return Object.fromEntries(
    rows.map((row) => {
      const { token, jwt } = JSON.parse(call.sealer.open(row.sealed, row.id));
      const shown = { id: row.id, token, jwt, expiresAt: row.expiresAt };
      return [row.method, row.caId === null ? shown : { ...shown, caId: row.caId, ca: caRef(row.caId) }];
    }),
  );
}

function caRef(id: string) {
  return { _links: { self: { href: `./cas/${id}` } }, entity: 'cas', id };
}
