import type { ClientState } from './client-state.ts';
import type { Session } from './session.ts';
import type { SessionSnapshot } from './session-snapshot.ts';

/** What the event `stateChange` tells. `session` is the session of the new state. */
export type StateChange = { readonly previous: ClientState } & SessionSnapshot;

/** The events of a client: name and payload. Changes by another client or page with the same storage emit them, too. */
export interface EdgeEvents {
  /** `edge.state` changed. */
  stateChange: StateChange;
  /**
   * The client signed in or restored a session, or the authentication queries changed: a partial session became full,
   * or a changed policy made a full session partial. A sign-in with `onAuthQuery` emits it once, at its end. `partial`
   * then means that some queries were not answered.
   */
  session: Session;
  /** `expiresAt` moved. When it moved by less than a second, it is emitted a second later, once for all uses in this time. */
  extended: Session;
  /** The session ends soon, and nobody extended it: 60 s or a tenth of the timeout is left, whichever is shorter. */
  expiring: Session;
  /** The session ended without `signOut`. The payload is the ended session. */
  expired: Session;
  /** `signOut` ended the session. The payload is the ended session. */
  signedOut: Session;
}
