import type { JwtChallenge } from '../api/jwt-challenge.ts';

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
