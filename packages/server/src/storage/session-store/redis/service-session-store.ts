import type { ServiceSessionStore } from '../service-sessions.ts';
import type { SealedField } from './fields/sealed-field.ts';
import { RedisServiceSessions } from './fields/service-sessions.ts';
import type { RedisKeys } from './keys.ts';
import { createServiceSessionList } from './lists/list-service-sessions.ts';
import type { RunScript } from './scripts.ts';
import type { SessionIndex } from './session-index.ts';

interface ServiceSessionStoreOptions {
  readonly keys: RedisKeys;
  readonly sealed: SealedField;
  /** The connection of the requests. */
  readonly requests: { readonly run: RunScript; readonly index: SessionIndex };
  /** The connection of long scans. */
  readonly scans: { readonly run: RunScript; readonly index: SessionIndex };
  /** Milliseconds that a list may take until its first row. */
  readonly timeLimit: number;
}

/** Creates the store of the sessions of services. */
export function createServiceSessionStore({
  keys,
  sealed,
  requests,
  scans,
  timeLimit,
}: ServiceSessionStoreOptions): ServiceSessionStore {
  const sessions = new RedisServiceSessions({ keys, sealed, ...requests });
  const scanned = new RedisServiceSessions({ keys, sealed, ...scans });
  const { index } = requests;
  return {
    open: (session, limit) => sessions.open(session, limit),
    present: (place) => sessions.present(place),
    find: (id) => sessions.find(id),
    ofApiSession: (apiSession) => sessions.ofApiSession(apiSession),
    batches: (identityId) => (identityId === undefined ? scanned : sessions).batches(identityId),
    remove: (session) => sessions.remove(session),
    list: createServiceSessionList({ keys, index, sessions, scanIndex: scans.index, scanned, timeLimit }),
  };
}
