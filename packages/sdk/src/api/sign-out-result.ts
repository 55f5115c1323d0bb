/** What `signOut` returns. */
export interface SignOutResult {
  /** The controller ended the session, or no longer knew it. */
  readonly confirmed: boolean;
  /** Why the controller did not confirm it, or why the token is still in the storage. */
  readonly error?: Error | undefined;
}
