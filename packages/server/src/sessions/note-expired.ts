import type { Transaction } from 'kysely';
import type { AuditLog } from '../audit-log/audit-log.ts';
import { runCompiled } from '../database/sql/run-compiled.ts';
import { inValues } from '../database/sql/select-values.ts';
import type { EntityStore, Tables } from '../entity-store/entity-store.ts';
import type { EventBus } from '../events/bus.ts';
import type { OnExpired } from '../session-store/session-store.ts';

interface Parts {
  readonly entities: EntityStore;
  readonly audit: AuditLog;
  readonly events: EventBus;
}

type Expired = Parameters<OnExpired>[0];

/**
 * Writes the entries of API sessions that have expired, and emits their events. Sessions whose end is in the log are left out: a
 * controller may have died just after it wrote them.
 */
export async function noteExpired({ entities, audit, events }: Parts, sessions: Expired): Promise<void> {
  const payloads = await entities.transaction(async (tx) => {
    await audit.lock(tx);
    const ended = await findEnded(entities, tx, sessions);
    const missing = sessions.filter(({ id }) => !ended.has(id));
    const all = missing.map(({ id, identityId }) => ({ apiSessionId: id, identityId }));
    await audit.append(
      tx,
      {},
      all.map((payload) => ({ name: 'apiSessionExpired', payload })),
    );
    return all;
  });
  for (const payload of payloads) events.emit('apiSessionExpired', payload);
}

/** Returns the ids of those sessions whose end is in the log. */
async function findEnded({ dialect, sql }: EntityStore, tx: Transaction<Tables>, sessions: Expired) {
  const ids = sessions.map(({ id }) => id);
  const selected = () => tx.selectFrom('auditLog').select('entityId').where('event', '=', 'apiSession.ended');
  const { rows } = await runCompiled(tx, `${dialect} ends of API sessions`, {
    compile: () => selected().where('entityId', 'in', inValues(sql, ids)).compile(),
    parameters: ['apiSession.ended', sql.textsParameter(ids)],
  });
  return new Set(rows.map(({ entityId }) => entityId));
}
