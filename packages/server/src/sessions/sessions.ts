import type { Access } from '@edge-controller/shared-types';
import type { Services } from '../call.ts';
import { tokenHash } from '../lib/ids.ts';
import type { ActiveSession } from './session.ts';

/**
 * Reads and touches the API session of a token and judges it at this very request. `null`: no live session, or its
 * identity is gone or disabled.
 */
export async function resolveSession(token: string, services: Services): Promise<ActiveSession | null> {
  const { session: stored, version } = await services.sessions.touch(tokenHash(token));
  if (!stored) return null;
  const principal = await services.principals.get(stored.identityId, version);
  if (!principal) {
    await services.sessions.remove(stored.id);
    return null;
  }
  return { stored, token, principal, authQueries: [] };
}

/** May this session call an operation of this access level? */
export function allows(access: Access, { authQueries, principal }: ActiveSession): boolean {
  const isFull = authQueries.length === 0;
  return {
    anyone: true,
    partial: true,
    full: isFull,
    admin: isFull && principal.isAdmin,
  }[access];
}
