import type { GetToken } from './get-token.ts';

/** The source of the JWT that is a second factor. */
export interface SecondaryToken {
  readonly getToken: GetToken;
  /** Id of the external JWT signer. Default: the source answers the `EXT-JWT` query of any signer. */
  readonly signer?: string | undefined;
}
