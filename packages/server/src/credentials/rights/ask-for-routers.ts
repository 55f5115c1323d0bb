import type { Rights } from './rights.ts';
import { hasRights } from './rights.ts';

interface Asking {
  readonly sessions: { update(tokenHash: string, change: { readonly usesRouters: true }): Promise<boolean> };
  readonly session: {
    readonly record: { readonly tokenHash: string; readonly usesRouters: boolean | null };
    readonly principal: Rights;
  };
}

/**
 * Records that the API session of a call has asked for what leads to edge routers: those that its identity may use are informed. From then on it
 * never has rights, because routers have its token. Who has rights keeps them, and no router is informed.
 */
export async function askForRouters({ sessions, session: { record, principal } }: Asking): Promise<void> {
  if (record.usesRouters !== true && !hasRights(principal))
    await sessions.update(record.tokenHash, { usesRouters: true });
}
