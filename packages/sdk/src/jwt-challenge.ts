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

/** Reads the challenge of an external JWT in `WWW-Authenticate`. Its parameters are separated by spaces or commas. */
export function jwtChallenge(headers: Headers): JwtChallenge | null {
  const [, text] = /realm="[^"]*ext-jwt"(.*)/.exec(headers.get('www-authenticate') ?? '') ?? [];
  if (text === undefined) return null;
  const parameter = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? '';
  const error = parameter('error');
  const issuers = parameter('issuer').split('|');
  const ids = parameter('id').split('|').filter(Boolean);
  return {
    error: error === 'missing' || error === 'expired' ? error : 'invalid',
    signers: ids.map((id, at) => ({ id, issuer: issuers[at] ?? '' })),
  };
}
