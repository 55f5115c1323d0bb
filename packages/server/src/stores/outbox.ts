import type { Transaction } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import { isoTime } from '../lib/clock.ts';
import type { EntityStore, Tables } from './entity-store.ts';
import type { SessionStore, SomeSessions } from './session-store.ts';

/** What a committed entity change still owes to the session store. */
export type Effect =
  /** Something that sessions are judged by was changed: every replica reads it anew. */
  | { readonly kind: 'changed' }
  /** The API sessions of an identity end, all of them or those that `which` names. */
  | { readonly kind: 'endSessions'; readonly identityId: string; readonly which?: SomeSessions };

/** Carries effects of entity changes to the session store: written in the entity transaction, drained at least once. */
export interface Outbox {
  /** Notes an effect inside the transaction that causes it. */
  add(tx: Transaction<Tables>, effect: Effect): Promise<void>;
  /**
   * Carries out everything noted so far, in order. Called after each commit, at start and on a timer.
   *
   * @throws when the session store cannot be reached: the change is committed, its effects stay noted and are tried again
   */
  drain(): Promise<void>;
}

const batchLength = 100;

/** The outbox of this process. */
export function createOutbox({
  entities,
  sessions,
  clock,
}: {
  entities: EntityStore;
  sessions: SessionStore;
  clock: Clock;
}): Outbox {
  let running: Promise<void> | null = null;
  let following: Promise<void> | null = null;

  const carryOut = async (): Promise<void> => {
    while ((await carryOutBatch({ entities, sessions })) === batchLength);
  };
  const start = (): Promise<void> => {
    const run = carryOut();
    const finish = () => {
      if (running === run) running = null;
    };
    run.then(finish, finish);
    running = run;
    return run;
  };

  return {
    async add(tx, effect) {
      await tx
        .insertInto('outbox')
        .values({ effect: JSON.stringify(effect), createdAt: isoTime(clock()) })
        .execute();
    },
    drain() {
      if (!running) return start();
      // The running round may have read before this caller committed: only one that begins later is sure to see its row.
      const next = () => {
        following = null;
        return start();
      };
      following ??= running.then(next, next);
      return following;
    },
  };
}

async function carryOutBatch({
  entities,
  sessions,
}: {
  entities: EntityStore;
  sessions: SessionStore;
}): Promise<number> {
  const rows = await entities.db
    .selectFrom('outbox')
    .select(['id', 'effect'])
    .orderBy('id')
    .limit(batchLength)
    .execute();
  if (rows.length === 0) return 0;
  for (const row of rows) {
    const effect = JSON.parse(row.effect) as Effect;
    if (effect.kind === 'endSessions') await sessions.removeByIdentity(effect.identityId, effect.which);
  }
  await sessions.bumpVersion();
  const ids = rows.map(({ id }) => id);
  await entities.db.deleteFrom('outbox').where('id', 'in', ids).execute();
  return rows.length;
}
