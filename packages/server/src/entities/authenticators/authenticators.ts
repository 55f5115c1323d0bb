import type { AuthenticatorDetail, managementApi } from '@edge-controller/shared-types';
import type { Call, Handlers } from '../../call.ts';
import type { Tables } from '../../stores/entity-store.ts';
import { baseFields, readableEntity } from '../define-entity.ts';
import { identityRef, referredIdentities } from '../identity-ref.ts';

async function details(call: Call, rows: readonly Tables['authenticators'][]): Promise<AuthenticatorDetail[]> {
  const byId = await referredIdentities(call, rows);
  return rows.flatMap((row) => {
    const identity = byId.get(row.identityId);
    if (!identity) return [];
    return [
      {
        id: row.id,
        createdAt: row.createdAt,
        updatedAt: row.updatedAt,
        tags: JSON.parse(row.tags),
        _links: {
          self: { href: `./authenticators/${row.id}` },
          identities: { href: `./identities/${row.identityId}` },
        },
        method: row.method,
        identityId: row.identityId,
        identity: identityRef(identity),
        ...(row.username === null ? {} : { username: row.username }),
      },
    ];
  });
}

/** Handlers of `/authenticators`. */
export const authenticators: Handlers<typeof managementApi>['authenticators'] = readableEntity({
  table: 'authenticators',
  noun: 'authenticator',
  fields: {
    ...baseFields,
    method: { column: 'method', type: 'string' },
    identity: { column: 'identityId', type: 'string' },
    updbUsername: { column: 'username', type: 'string' },
    certFingerprint: { column: null, type: 'string' },
    certPem: { column: null, type: 'string' },
  },
  details,
});
