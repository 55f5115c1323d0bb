/**
 * - `signed-out`: there is no session, because nobody signed in or `signOut` ended it
 * - `unknown`: the storage may have a session, and no controller has said yet whether it still exists
 * - `partial`: there is a session, and its authentication queries are outstanding
 * - `active`: there is a full session
 * - `stale`: there is a session, but the client does not know whether it has ended. The last request did not reach the controller, or
 *   the session timeout has passed since the last use
 * - `expired`: the session ended without `signOut`
 */
export type ClientState = 'signed-out' | 'unknown' | 'partial' | 'active' | 'stale' | 'expired';
