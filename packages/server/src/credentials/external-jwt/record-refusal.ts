import type { AuditLog } from '../../audit/audit-log.ts';
import type { Actor } from '../../audit/entry-of.ts';
import type { ControllerEvents } from '../../core/events/events.ts';
import type { TokenReport } from './token-report.ts';
import { failedCheck } from './token-report.ts';

/** What a JWT is used for. */
type JwtUse = ControllerEvents['externalJwt.refused']['use'];

/** Publishes why a token was refused. */
export type RecordRefusal = (
  actor: Actor,
  use: JwtUse,
  report: Pick<TokenReport, 'checks' | 'signer'>,
  identityId?: string,
) => Promise<void>;

export function createRefusalRecorder(audit: Pick<AuditLog, 'publish'>): RecordRefusal {
  return async (actor, use, { checks, signer }, identityId) => {
    const failed = failedCheck(checks);
    if (!failed) return;
    const { check, expected, received } = failed;
    await audit.publish(actor, 'externalJwt.refused', {
      ...{ use, check, signerId: signer?.id ?? null },
      ...(expected !== undefined && { expected }),
      ...(received !== undefined && { received }),
      ...(identityId !== undefined && { identityId }),
    });
  };
}
