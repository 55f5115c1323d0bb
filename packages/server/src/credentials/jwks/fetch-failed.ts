/** A JWKS could not be fetched. The message is for the administrator: a sentence without secrets. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';
}
