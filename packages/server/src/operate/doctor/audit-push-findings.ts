import type { Settings } from '../../core/config/schema.ts';
import type { AuditPushLag } from '../../storage/entity-store/audit-push-lag.ts';
import type { DoctorFinding } from './finding.ts';
import { warning } from './finding.ts';

/** Seconds from which on the receiver does not keep up. */
const late = 300;

/** Entries of the audit log that wait for the receiver. */
export function auditPushFindings(
  { auditPushUrl }: Settings,
  { waiting, lag }: AuditPushLag,
): readonly DoctorFinding[] {
  if (auditPushUrl === null || lag < late) return [];
  const minutes = Math.floor(lag / 60);
  const message = `${waiting} entries of the audit log wait to be pushed to ${new URL(auditPushUrl).host}, the first for ${minutes} minutes`;
  const fix = 'start a controller, and the receiver of EDGE_AUDIT_PUSH_URL; the log of the controller says what fails';
  return [warning(message, 'auditPushUrl', fix)];
}
