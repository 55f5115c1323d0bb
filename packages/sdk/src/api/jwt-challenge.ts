/** What the controller says about the JWT of a refused sign-in. */
export interface JwtChallenge {
  /**
   * - `missing`: there is no JWT of an enabled signer, or it does not lead to an identity that may sign in with it
   * - `expired`: the JWT has expired
   * - `invalid`: the signature, the key, the audience or the dates are wrong
   */
  readonly error: 'missing' | 'invalid' | 'expired';
  /** The signers whose JWTs the controller accepts. */
  readonly signers: readonly { readonly id: string; readonly issuer: string }[];
}
