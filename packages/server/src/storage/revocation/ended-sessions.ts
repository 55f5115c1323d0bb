import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../../core/time/clock.ts';
import { isoTime } from '../../core/time/clock.ts';
import { runCompiled } from '../database/sql/run-compiled.ts';
import { inValues } from '../database/sql/select-values.ts';
import type { EntityStore, Tables } from '../entity-store/entity-store.ts';

/**
 * The single sessions that ended before they expired, in the entity database: API sessions by the hashes of their tokens, sessions
 * of services by their ids. The session store may lose the removal of a session, for example in a fail-over. Then this table says
 * that the session has ended.
 */
export interface EndedSessions {
  /** Records the ends of sessions until they would have expired. When one is recorded already, its time starts again. */
  add(...keys: readonly string[]): Promise<void>;
  /** As `add`, in one transaction with `write`, which gets those that were not recorded yet. */
  addWith(
    keys: readonly string[],
    write: (tx: Transaction<Tables>, added: readonly string[]) => Promise<void>,
  ): Promise<void>;
  /** Returns those of the sessions that have ended. */
  find(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** All that are recorded, in batches. */
  batches(size: number): AsyncIterable<readonly string[]>;
  /** Deletes the rows of sessions that would have expired at this time. */
  sweep(now: number): Promise<void>;
}

/** Milliseconds. The clocks of replicas may differ. */
const margin = 10 * 60_000;

/** @param timeout milliseconds without a touch after which a session expires */
export function createEndedSessions({
  database,
  clock,
  timeout,
}: {
  database: EntityStore;
  clock: Clock;
  timeout: number;
}): EndedSessions {
  const { db } = database;
  const rowsOf = (keys: readonly string[]) => {
    const expiresAt = isoTime(clock() + timeout + margin);
    return keys.map((tokenHash) => ({ tokenHash, expiresAt }));
  };
  const insert = async (within: Kysely<Tables>, keys: readonly string[]) => {
    await within
      .insertInto('endedSessions')
      .values(rowsOf(keys))
      .onConflict((conflict) =>
        conflict.column('tokenHash').doUpdateSet((from) => ({ expiresAt: from.ref('excluded.expiresAt') })),
      )
      .execute();
  };
  return {
    add: (...keys) => insert(db, keys),

    addWith: (keys, write) =>
      database.transaction(async (tx) => {
        const added = await insertNew(tx, rowsOf(keys));
        if (added.length < keys.length) await insert(tx, keys);
        await write(tx, added);
      }),

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

    find: (keys) => findEnded(database, db, keys),

    async sweep(now) {
      await db.deleteFrom('endedSessions').where('expiresAt', '<=', isoTime(now)).execute();
    },
  };
}

/** Of several who record the same end at once, one is the first. */
async function insertNew(
  tx: Transaction<Tables>,
  rows: readonly Tables['endedSessions'][],
): Promise<readonly string[]> {
  const added = await tx
    .insertInto('endedSessions')
    .values(rows)
    .onConflict((conflict) => conflict.column('tokenHash').doNothing())
    .returning('tokenHash')
    .execute();
  return added.map(({ tokenHash }) => tokenHash);
}

async function findEnded({ dialect, sql }: EntityStore, db: Kysely<Tables>, keys: readonly string[]) {
  const selected = () => db.selectFrom('endedSessions').select('tokenHash');
  const { rows } = await runCompiled(db, `${dialect} ended sessions`, {
    compile: () => selected().where('tokenHash', 'in', inValues(sql, keys)).compile(),
    parameters: [sql.textsParameter(keys)],
  });
  return new Set(rows.map(({ tokenHash }) => tokenHash));
}
