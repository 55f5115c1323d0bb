import { runCompiled } from '../database/sql/run-compiled.ts';
import { inValues } from '../database/sql/select-values.ts';
import type { EntityStore } from '../entity-store/entity-store.ts';
import type { Clock } from '../lib/clock.ts';
import { isoTime } from '../lib/clock.ts';

/**
 * The single sessions that ended before they expired, in the entity database: API sessions by the hashes of their tokens, sessions
 * of services by their ids. The session store may lose the removal of a session, for example in a fail-over. Then this table says
 * that the session has ended.
 */
export interface EndedSessions {
  /** Notes the ends of sessions until they would have expired. When one is noted already, its time starts again. */
  add(...keys: readonly string[]): Promise<void>;
  /** Returns those of the sessions that have ended. */
  find(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** All that are noted, in batches. */
  batches(size: number): AsyncIterable<readonly string[]>;
  /** Deletes the rows of sessions that would have expired at this time. */
  sweep(now: number): Promise<void>;
}

/** Milliseconds. The clocks of replicas may differ. */
const margin = 10 * 60_000;

/** @param timeout milliseconds without a touch after which a session expires */
export function createEndedSessions({
  entities: { db, dialect, sql },
  clock,
  timeout,
}: {
  entities: EntityStore;
  clock: Clock;
  timeout: number;
}): EndedSessions {
  return {
    async add(...keys) {
      const expiresAt = isoTime(clock() + timeout + margin);
      await db
        .insertInto('endedSessions')
        .values(keys.map((tokenHash) => ({ tokenHash, expiresAt })))
        .onConflict((conflict) => conflict.column('tokenHash').doUpdateSet({ expiresAt }))
        .execute();
    },

    async *batches(size) {
      for (let last = '', isOver = false; !isOver; ) {
        const rows = await db
          .selectFrom('endedSessions')
          .select('tokenHash')
          .where('tokenHash', '>', last)
          .orderBy('tokenHash')
          .limit(size)
          .execute();
        last = rows.at(-1)?.tokenHash ?? '';
        isOver = rows.length < size;
        if (rows.length > 0) yield rows.map(({ tokenHash }) => tokenHash);
      }
    },

    async find(keys) {
      const selected = () => db.selectFrom('endedSessions').select('tokenHash');
      const { rows } = await runCompiled(db, `${dialect} ended sessions`, {
        compile: () => selected().where('tokenHash', 'in', inValues(sql, keys)).compile(),
        parameters: [sql.textsParameter(keys)],
      });
      return new Set(rows.map(({ tokenHash }) => tokenHash));
    },

    async sweep(now) {
      await db.deleteFrom('endedSessions').where('expiresAt', '<=', isoTime(now)).execute();
    },
  };
}
