import type { EnrollmentDetail } from './enrollment-facts.ts';

/** The address that redeems an enrollment, or `null` for a JWT that names no controller. */
export function enrollmentLink({ jwt, method, token }: EnrollmentDetail): string | null {
  const issuer = issuerOf(jwt);
  if (issuer === null || !URL.canParse(issuer)) return null;
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
