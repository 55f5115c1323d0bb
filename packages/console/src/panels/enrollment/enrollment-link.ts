import { setPasswordLink } from '../../api/set-password-link.ts';
import type { EnrollmentDetail } from './enrollment-facts.ts';

/**
 * Where an enrollment is redeemed: for a password a page of the console, otherwise the address of the call. `null` for a JWT that
 * names no controller.
 *
 * @param consoleAddress where people reach the console. `null`: where the JWT says
 */
export function enrollmentLink(
  { jwt, method, token, username }: EnrollmentDetail,
  consoleAddress: string | null,
): string | null {
  const issuer = issuerOf(jwt);
  if (issuer === null || !URL.canParse(issuer)) return null;
  if (method === 'updb') return setPasswordLink(consoleAddress ?? issuer, { jwt, username: username ?? '' });
  const link = new URL('/edge/client/v1/enroll', issuer);
  link.search = new URLSearchParams({ method, token }).toString();
  return link.href;
}

function issuerOf(jwt: string): string | null {
  try {
    const [, claims = ''] = jwt.split('.');
    const { iss } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof iss === 'string' ? iss : null;
  } catch {
    return null;
  }
}
