import type { EdgeClient } from '@edge-controller/sdk';

type Management = EdgeClient['management'];
type Detail<Resource extends 'identities' | 'authPolicies' | 'cas'> = Awaited<ReturnType<Management[Resource]['get']>>;

export type IdentityDetail = Detail<'identities'>;
export type AuthPolicyDetail = Detail<'authPolicies'>;
export type CaDetail = Detail<'cas'>;
export type EnrollmentDetail = Awaited<ReturnType<Management['enrollments']['get']>>;
export type AuthenticatorDetail = Awaited<ReturnType<Management['authenticators']['get']>>;
export type AuditEntry = Awaited<ReturnType<Management['auditLog']['list']>>['data'][number];

/** What is known of the way of an identity from its creation to its first sign-in. */
export interface EnrollmentFacts {
  readonly identity: IdentityDetail;
  readonly enrollments: readonly EnrollmentDetail[];
  readonly authenticators: readonly AuthenticatorDetail[];
  /** `null`: not loaded yet, or the person may not read it. */
  readonly policy: AuthPolicyDetail | null;
  /** The CA of an enrollment `ottca`. */
  readonly ca: CaDetail | null;
  /** What the audit log says about the identity, the newest first. Empty when the person may not read it. */
  readonly entries: readonly AuditEntry[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function isExpired({ expiresAt }: EnrollmentDetail, now: number): boolean {
  return Date.parse(expiresAt) <= now;
}

export function validEnrollments(enrollments: readonly EnrollmentDetail[], now: number): readonly EnrollmentDetail[] {
  return enrollments.filter((enrollment) => !isExpired(enrollment, now));
}

/** The newest entry of an event. */
export function entryOf({ entries }: EnrollmentFacts, event: string): AuditEntry | undefined {
  return entries.find((entry) => entry.event === event);
}
