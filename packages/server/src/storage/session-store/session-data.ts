/**
 * What is known of an API session besides its record, as JSON text: what the client says about its device, and the sessions that
 * posture checks have refused.
 */
export type SessionDataName = 'posture' | 'refusals';

/** How `replace` ended. `changed`: somebody else has changed the text since it was read. */
export type ReplacedData = 'replaced' | 'changed' | 'no session';

/** Stores texts that disappear in the same moment as their API session. Nothing here creates a session or restarts its timeout. */
export interface SessionDataStore {
  /** One text for each API session, `null` where there is none. */
  read(tokenHashes: readonly string[], name: SessionDataName): Promise<readonly (string | null)[]>;
  /** Replaces a text unless it was changed since it was read as `before`. `null`: there was none. */
  replace(
    tokenHash: string,
    name: SessionDataName,
    change: { readonly before: string | null; readonly after: string },
  ): Promise<ReplacedData>;
}
