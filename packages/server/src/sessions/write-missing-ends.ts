import type { Transaction } from 'kysely';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Actor } from '../audit/entry-of.ts';
import type { ControllerEvent } from '../core/events/events.ts';
import { runCompiled } from '../storage/database/sql/run-compiled.ts';
import { inValues } from '../storage/database/sql/select-values.ts';
import type { EntityStore, Tables } from '../storage/entity-store/entity-store.ts';

interface WriteMissingEndsOptions {
  readonly database: EntityStore;
  readonly audit: AuditLog;
}

type End = Extract<ControllerEvent, { readonly name: 'apiSession.ended' }>;

/** Writes the ends of API sessions that the audit log does not have yet, and returns them. A controller may have died after it wrote some. */
export function writeMissingEnds<E extends End>(
  { database, audit }: WriteMissingEndsOptions,
  actor: Actor,
  ends: readonly E[],
): Promise<readonly E[]> {
  return database.transaction(async (tx) => {
    await audit.lock(tx);
    const ended = await findEnded(
      database,
      tx,
      ends.map(({ payload }) => payload.apiSessionId),
    );
    const missing = ends.filter(({ payload }) => !ended.has(payload.apiSessionId));
    await audit.append(tx, actor, missing);
    return missing;
  });
}

/** Returns the ids of those sessions whose end is in the log. */
async function findEnded({ dialect, sql }: EntityStore, tx: Transaction<Tables>, ids: readonly string[]) {
  const selected = () => tx.selectFrom('auditLog').select('entityId').where('event', '=', 'apiSession.ended');
  const { rows } = await runCompiled(tx, `${dialect} ends of API sessions`, {
    compile: () => selected().where('entityId', 'in', inValues(sql, ids)).compile(),
    parameters: ['apiSession.ended', sql.textsParameter(ids)],
  });
  return new Set(rows.map(({ entityId }) => entityId));
}
