import type { ApiSessionRecord, SessionStore } from './session-store.ts';

interface Asking {
  readonly sessions: Pick<SessionStore, 'update'>;
  readonly session: { readonly record: Pick<ApiSessionRecord, 'tokenHash' | 'usesRouters'> };
}

/** Notes that the API session of a call has asked for what leads to edge routers: those that its identity may use are told. */
export async function askForRouters({ sessions, session: { record } }: Asking): Promise<void> {
  if (!record.usesRouters) await sessions.update(record.tokenHash, { usesRouters: true });
}
