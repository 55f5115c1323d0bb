import type { SessionSnapshot } from '../api/session-snapshot.ts';
import type { EdgeClient } from '../client/edge-client.ts';

/** What a page shows: what the server has rendered, as long as the client does not know better. */
export function shownSnapshot({ getSnapshot }: EdgeClient, initial: SessionSnapshot | undefined): SessionSnapshot {
  const snapshot = getSnapshot();
  return snapshot.state === 'unknown' && initial ? initial : snapshot;
}
