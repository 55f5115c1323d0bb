/** A text in the form of a JWT. `exp` is in milliseconds since 1970; without it the JWT does not expire. */
export function unsignedJwt(name: string, exp?: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'RS256' }), part({ sub: name, ...(exp !== undefined && { exp: exp / 1000 }) }), 'c2ln'].join('.');
}
