import type { SessionStore } from './session-store.ts';

/** A store that a contract suite has opened for one case. */
export interface SessionStoreUnderTest extends AsyncDisposable {
  readonly store: SessionStore;
}
