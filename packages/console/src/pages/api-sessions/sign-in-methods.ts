import { filter } from '@edge-controller/sdk';
import { useQuery } from '@tanstack/react-query';
import { edge } from '../../session/edge.ts';

const methodLabels: Readonly<Record<string, string>> = { updb: 'Password', cert: 'Certificate' };
/** What a session has as its authenticator when no authenticator opened it. */
const claimAuthenticator = 'internal';

/** Id of an authenticator → how its sessions were opened. Empty for who may not read authenticators. */
export function useSignInMethods(authenticatorIds: readonly string[]): ReadonlyMap<string, string> {
  const wanted = [...new Set(authenticatorIds)].filter((id) => id !== '' && id !== claimAuthenticator).toSorted();
  const { data = [] } = useQuery({
    queryKey: ['list', 'management', 'authenticators', 'methods', wanted],
    queryFn: async ({ signal }) =>
      (await edge.management.authenticators.list({ filter: filter`id in ${wanted}`, limit: wanted.length }, { signal }))
        .data,
    enabled: wanted.length > 0,
    placeholderData: (before) => before,
  });
  const known = data.map(({ id, method }) => [id, methodLabels[method] ?? method] as const);
  return new Map([...known, [claimAuthenticator, 'External']]);
}
