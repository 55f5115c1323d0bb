import { runCompiled } from '../database/sql/run-compiled.ts';
import { inValues } from '../database/sql/select-values.ts';
import type { EntityStore } from '../entity-store/entity-store.ts';
import type { Clock } from '../lib/clock.ts';
import { isoTime } from '../lib/clock.ts';

/**
 * The single API sessions that ended before they expired, in the entity database. The session store may lose the removal of
 * a session, for example in a fail-over. Then this table says that the session has ended.
 */
export interface EndedSessions {
  /** Notes the end of an API session until it would have expired. When it is noted already, the time starts again. */
  add(tokenHash: string): Promise<void>;
  /** Returns those of the sessions that have ended. */
  find(tokenHashes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Deletes the rows of sessions that would have expired. */
  sweep(): Promise<void>;
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
    async add(tokenHash) {
      const expiresAt = isoTime(clock() + timeout + margin);
      await db
        .insertInto('endedSessions')
        .values({ tokenHash, expiresAt })
        .onConflict((conflict) => conflict.column('tokenHash').doUpdateSet({ expiresAt }))
        .execute();
    },

    async find(tokenHashes) {
      const selected = () => db.selectFrom('endedSessions').select('tokenHash');
      const { rows } = await runCompiled(db, `${dialect} ended sessions`, {
        compile: () => selected().where('tokenHash', 'in', inValues(sql, tokenHashes)).compile(),
        parameters: [sql.textsParameter(tokenHashes)],
      });
      return new Set(rows.map(({ tokenHash }) => tokenHash));
    },

    async sweep() {
      await db.deleteFrom('endedSessions').where('expiresAt', '<=', isoTime(clock())).execute();
    },
  };
}
