/** What the store needs to find an API session. */
export interface SessionKey {
  /** Public id: 25 lower-case characters, starts with `c`. */
  readonly id: string;
  /** SHA-256 of the token, base64url: the lookup key. */
  readonly tokenHash: string;
  readonly identityId: string;
}
