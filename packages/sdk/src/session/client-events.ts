import type { EdgeEvents } from '../api/edge-events.ts';
import type { Emitter } from '../lib/emitter.ts';

/** The events of a client, with those that only the SDK itself knows. */
export type ClientEvents = Emitter<
  EdgeEvents & {
    /** The session was replaced or ended. */
    sessionChange: null;
    /** The state or the session is another one, or may be. */
    snapshot: null;
    /** A request about the session did not reach the controller. */
    unreached: null;
  }
>;
