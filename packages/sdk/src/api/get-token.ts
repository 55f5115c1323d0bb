/** What the client says when it asks for a JWT. */
export interface TokenRequest {
  /**
   * - `needed`: the client has no JWT, as at every sign-in with `signIn.extJwt`
   * - `expired`: the JWT that it has expires soon or has expired
   * - `refused`: the controller did not accept the JWT that it has
   */
  readonly reason: 'needed' | 'expired' | 'refused';
  /** Aborts when no call waits for the JWT any more. */
  readonly signal: AbortSignal;
}

/**
 * Returns a JWT of an external signer, or `null` when there is none at the moment. The client asks once for all calls
 * that wait. White space around it is removed. It must not make calls of the same client that need a session. An error that it
 * throws is the error of the calls.
 */
export type GetToken = (request: TokenRequest) => string | null | Promise<string | null>;
