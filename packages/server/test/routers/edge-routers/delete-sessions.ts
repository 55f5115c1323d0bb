import type { RoutedIdentity } from '../router-double/routed-network.ts';

interface Sessions {
  list(query: { filter: string }): Promise<{ readonly data: readonly { readonly id: string }[] }>;
  delete(id: string): Promise<unknown>;
}

/** Deletes the sessions of an identity. */
export async function deleteSessions(
  sessions: Sessions,
  { identityId }: Pick<RoutedIdentity, 'identityId'>,
): Promise<void> {
  for (const { id } of (await sessions.list({ filter: `identity = "${identityId}"` })).data) await sessions.delete(id);
}
