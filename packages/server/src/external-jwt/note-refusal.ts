import type { EventBus } from '../events/bus.ts';
import type { ControllerEvents } from '../events/events.ts';
import type { TokenReport } from './token-report.ts';
import { failedCheck } from './token-report.ts';

/** What a JWT is used for. */
type JwtUse = ControllerEvents['externalJwtRefused']['use'];

/** Emits why a token was refused. */
export type NoteRefusal = (use: JwtUse, report: Pick<TokenReport, 'checks' | 'signer'>, identityId?: string) => void;

export function createNoteRefusal(events: EventBus): NoteRefusal {
  return (use, { checks, signer }, identityId) => {
    const failed = failedCheck(checks);
    if (!failed) return;
    const { check, expected, received } = failed;
    events.emit('externalJwtRefused', {
      ...{ use, check, signerId: signer?.id ?? null },
      ...(expected !== undefined && { expected }),
      ...(received !== undefined && { received }),
      ...(identityId !== undefined && { identityId }),
    });
  };
}
