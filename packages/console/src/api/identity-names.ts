import type { AuditEntryDetail } from '@edge-controller/sdk';
import { useNames } from './names.ts';

/** Id → name. An identity that was deleted, or that the person may not read, is not there. */
export type IdentityNames = ReturnType<typeof useNames>;

/** The names of the identities of one page. */
export function useIdentityNames(ids: readonly (string | null)[]): IdentityNames {
  const wanted = [...new Set(ids)].filter((id): id is string => id !== null && id !== '').toSorted();
  return useNames('management', 'identities', wanted);
}

/** Who acted. Of a refused sign-in, whom it was for. */
export function concernedIdentity({ identityId, entityType, entityId }: AuditEntryDetail): string | null {
  return identityId ?? (entityType === 'identity' ? entityId : null);
}
