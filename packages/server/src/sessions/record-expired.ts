import type { AuditLog } from '../audit/audit-log.ts';
import type { EventBus } from '../core/events/bus.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { OnExpired } from '../storage/session-store/session-store.ts';
import { writeMissingEnds } from './write-missing-ends.ts';

interface Parts {
  readonly database: EntityStore;
  readonly audit: AuditLog;
  readonly events: EventBus;
}

/** Writes the entries of API sessions that have expired, and emits their events. Those whose end is in the log are left out. */
export async function recordExpired(parts: Parts, sessions: Parameters<OnExpired>[0]): Promise<void> {
  const ends = sessions.map(
    ({ id, identityId }) =>
      ({ name: 'apiSession.ended', payload: { apiSessionId: id, identityId, by: 'timeout' } }) as const,
  );
  for (const { name, payload } of await writeMissingEnds(parts, {}, ends)) parts.events.emit(name, payload);
}
