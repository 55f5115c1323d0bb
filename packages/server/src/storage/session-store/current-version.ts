import { tokenHash } from '../../core/secrets/ids.ts';
import type { SessionStore } from './session-store.ts';

/** No session has an empty token. */
const noSession = tokenHash('');

/** Returns the version of the entities now, for operations without a session: only a touch knows it. */
export async function currentVersion(sessions: Pick<SessionStore, 'touch'>): Promise<string> {
  const { version } = await sessions.touch(noSession);
  return version;
}
