import type { AuthenticatorDetail } from '@edge-controller/shared-types';
import type { Call } from '../call.ts';
import type { Tables } from '../stores/entity-store.ts';
import { mapPage } from '../stores/map-page.ts';
import type { Page, Query } from '../stores/page.ts';
import { baseFields } from './define-entity.ts';
import { identityRef, referencedIdentities } from './identity-ref.ts';

type AuthenticatorRow = Tables['authenticators'];

/** The filter fields of authenticators. */
export const authenticatorFields = {
  ...baseFields,
  method: { column: 'method', type: 'string' },
  identity: { column: 'identityId', type: 'string' },
  updbUsername: { column: 'username', type: 'string' },
  certFingerprint: { column: null, type: 'string' },
  certPem: { column: null, type: 'string' },
} as const;

/** Converts rows to authenticators of the API, without secrets. A page needs one more query. */
export async function authenticatorDetails(
  call: Call,
  rows: readonly AuthenticatorRow[],
): Promise<AuthenticatorDetail[]> {
  const byId = await referencedIdentities(call, rows);
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

/** Returns one page of the authenticators of one identity. */
export async function listAuthenticatorsOf(
  call: Call,
  identityId: string,
  query: Query,
): Promise<Page<AuthenticatorDetail>> {
  const page = await call.entities.list({
    table: 'authenticators',
    fields: authenticatorFields,
    query,
    where: { identityId },
  });
  return mapPage(page, (rows) => authenticatorDetails(call, rows));
}
