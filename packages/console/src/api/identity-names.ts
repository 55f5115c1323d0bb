import type { AuditEntryDetail } from '@edge-controller/sdk';
import { filter } from '@edge-controller/sdk';
import { useQuery } from '@tanstack/react-query';
import { edge } from '../session/edge.ts';

/** Id → name. An identity that was deleted, or that the person may not read, is not there. */
export type IdentityNames = ReadonlyMap<string, string>;

const none: IdentityNames = new Map();

/** The names of the identities of one page. */
export function useIdentityNames(ids: readonly (string | null)[]): IdentityNames {
  const wanted = [...new Set(ids)].filter((id): id is string => id !== null && id !== '').toSorted();
  const { data = none } = useQuery({
    queryKey: ['list', 'management', 'identities', 'names', wanted],
    queryFn: ({ signal }) => readNames(wanted, signal),
    enabled: wanted.length > 0,
    placeholderData: (before) => before,
  });
  return data;
}

/** Who acted. Of a refused sign-in, whom it was for. */
export function concernedIdentity({ identityId, entityType, entityId }: AuditEntryDetail): string | null {
  return identityId ?? (entityType === 'identity' ? entityId : null);
}

async function readNames(ids: readonly string[], signal: AbortSignal): Promise<IdentityNames> {
  const query = { filter: filter`id in ${ids}`, limit: ids.length };
  const { data } = await edge.management.identities.list(query, { signal });
  return new Map(data.map(({ id, name }) => [id, name]));
}
