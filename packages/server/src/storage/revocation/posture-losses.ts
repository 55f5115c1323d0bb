import type { Clock } from '../../core/time/clock.ts';
import { isoTime } from '../../core/time/clock.ts';
import { runCompiled } from '../database/sql/run-compiled.ts';
import { inValues } from '../database/sql/select-values.ts';
import type { EntityStore } from '../entity-store/entity-store.ts';

/**
 * What clients have said about their devices and taken back, in the entity database. The session store may lose what they said last
 * and have older posture data again. Then this table says that it does not count.
 */
export interface PostureLosses {
  /** Records that the posture data of an API session does not count any more, up to this generation. */
  add(tokenHash: string, generation: number): Promise<void>;
  /** Returns the last generations that do not count, by the hashes of the tokens. */
  find(tokenHashes: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Returns the API sessions whose rows can be deleted, once their posture data is younger. */
  expired(now: number): Promise<readonly string[]>;
  sweep(now: number): Promise<void>;
}

/** Milliseconds in which everybody has the posture data that came later. */
const lifetime = 40 * 60_000;

export function createPostureLosses(database: EntityStore, clock: Clock): PostureLosses {
  const { db, dialect, sql } = database;
  return {
    async add(tokenHash, generation) {
      const expiresAt = isoTime(clock() + lifetime);
      await db
        .insertInto('postureLosses')
        .values({ tokenHash, generation, expiresAt })
        .onConflict((conflict) =>
          conflict
            .column('tokenHash')
            .doUpdateSet({ generation, expiresAt })
            .where('postureLosses.generation', '<=', generation),
        )
        .execute();
    },

    async find(tokenHashes) {
      const selected = () => db.selectFrom('postureLosses').select(['tokenHash', 'generation']);
      const { rows } = await runCompiled(db, `${dialect} posture losses`, {
        compile: () => selected().where('tokenHash', 'in', inValues(sql, tokenHashes)).compile(),
        parameters: [sql.textsParameter(tokenHashes)],
      });
      return new Map(rows.map(({ tokenHash, generation }) => [tokenHash, generation]));
    },

    async expired(now) {
      const rows = await db
        .selectFrom('postureLosses')
        .select('tokenHash')
        .where('expiresAt', '<=', isoTime(now))
        .execute();
      return rows.map(({ tokenHash }) => tokenHash);
    },

    async sweep(now) {
      await db.deleteFrom('postureLosses').where('expiresAt', '<=', isoTime(now)).execute();
    },
  };
}
