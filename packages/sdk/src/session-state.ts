/**
 * - `signed-out`: there is no session, because nobody signed in or `signOut` ended it
 * - `partial`: there is a session, and its authentication queries are outstanding
 * - `active`: there is a full session
 * - `stale`: there is a session, but the controller could not be reached when it was last asked, or the time of the session
 *   has passed and nobody has asked the controller yet
 * - `expired`: the session ended without `signOut`
 */
export type ClientState = 'signed-out' | 'partial' | 'active' | 'stale' | 'expired';

/** What can happen to the session of a client. `partial` and `full`: the controller has shown it with or without queries. */
export type Happening =
  | 'begunPartial'
  | 'begunFull'
  | 'shownPartial'
  | 'shownFull'
  | 'unreachable'
  | 'timePassed'
  | 'ended'
  | 'signedOut';

const states: Readonly<Record<Happening, ClientState>> = {
  begunPartial: 'partial',
  begunFull: 'active',
  shownPartial: 'partial',
  shownFull: 'active',
  unreachable: 'stale',
  timePassed: 'stale',
  ended: 'expired',
  signedOut: 'signed-out',
};

/** The state after a happening. What can only happen to a session changes nothing without one. */
export function nextState(state: ClientState, happening: Happening): ClientState {
  const hasSession = state !== 'signed-out' && state !== 'expired';
  return hasSession || /^begun|signedOut/.test(happening) ? states[happening] : state;
}
