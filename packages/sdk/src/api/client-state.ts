/**
 * - `signed-out`: there is no session, because nobody signed in or `signOut` ended it
 * - `partial`: there is a session, and its authentication queries are outstanding
 * - `active`: there is a full session
 * - `stale`: there is a session, but the controller could not be reached when it was last asked, or the time of the session
 *   has passed and nobody has asked the controller yet
 * - `expired`: the session ended without `signOut`
 */
export type ClientState = 'signed-out' | 'partial' | 'active' | 'stale' | 'expired';
