/**
 * When a JWT expires, in milliseconds since 1970; `Infinity` when it does not say so. Nothing is verified: use it only
 * to decide when to ask for a new one.
 */
export function jwtExpiry(jwt: string): number {
  try {
    const { exp } = JSON.parse(atob((jwt.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')));
    return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
