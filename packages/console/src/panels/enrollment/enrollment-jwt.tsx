import { momentText } from '../../api/moments.ts';
import { Notice } from '../../ui/notice.tsx';
import type { EnrollmentDetail } from './enrollment-facts.ts';
import { isExpired } from './enrollment-facts.ts';
import { HandOver } from './hand-over.tsx';

interface EnrollmentJwtProps {
  readonly enrollment: EnrollmentDetail;
  /** Name of whoever enrolls. */
  readonly name: string;
}

/** The JWT of an enrollment, or that it has expired. */
export function EnrollmentJwt({ enrollment, name }: EnrollmentJwtProps) {
  if (!isExpired(enrollment, Date.now())) return <HandOver enrollment={enrollment} name={name} />;
  return <Notice kind="bad">The JWT expired on {momentText(enrollment.expiresAt)}. The controller refuses it.</Notice>;
}
