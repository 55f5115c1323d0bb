import type { AuditLog } from '../audit-log/audit-log.ts';
import type { OnExpired } from '../session-store/session-store.ts';

/** API sessions whose entries are written at once, when many expire at the same time. */
const atOnce = 500;

/** Writes the entries of API sessions that have expired, and emits their events. */
export async function noteExpired(audit: AuditLog, sessions: Parameters<OnExpired>[0]): Promise<void> {
  for (let start = 0; start < sessions.length; start += atOnce) {
    const some = sessions.slice(start, start + atOnce);
    const note = ({ id, identityId }: (typeof some)[number]) =>
      audit.publish({}, 'apiSessionExpired', { apiSessionId: id, identityId });
    await Promise.all(some.map(note));
  }
}
