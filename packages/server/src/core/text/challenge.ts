/** Why a request has no valid token of a kind. */
export type TokenError = 'missing' | 'invalid' | 'expired';

const descriptions: Readonly<Record<TokenError, string>> = {
  missing: 'no matching token was provided',
  invalid: 'token is invalid',
  expired: 'token expired',
};

interface Challenge {
  readonly scheme: string;
  readonly realm: string;
  readonly error: TokenError;
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * One value of `WWW-Authenticate`, exactly as existing clients know it: one space, not a comma, separates the parameters
 * (RFC 9110, 11.6.1, has commas).
 */
export function challenge({ scheme, realm, error, parameters = {} }: Challenge): string {
  const all = { realm, error, error_description: descriptions[error], ...parameters };
  return `${scheme} ${Object.entries(all)
    .map(([name, value]) => `${name}="${quotable(value)}"`)
    .join(' ')}`;
}

/** A text as it may stand in a quoted string of a header (RFC 9110, 5.6.4). */
function quotable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
}
