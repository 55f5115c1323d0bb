import type { Transaction } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import { isoTime } from '../lib/clock.ts';
import { findCredentials, hasEnded, raiseCredentials } from './credentials.ts';
import type { EntityStore, Tables } from './entity-store.ts';
import type { SessionStore, SessionSubset } from './session-store.ts';

/** What must happen in the session store after an entity change is committed. */
export type Effect =
  /** Data that decides about sessions was changed. Every replica must read it again. */
  | { readonly kind: 'changed' }
  /** The API sessions of an identity end: all of them, or those that `which` selects. */
  | { readonly kind: 'endSessions'; readonly identityId: string; readonly which?: SessionSubset };

/**
 * Applies the effects of entity changes to the session store, at least once. The entity transaction stores the effects.
 */
export interface Outbox {
  /**
   * Stores an effect inside the transaction that causes it. When sessions end, the versions of their credentials are raised
   * there, too: then the sessions have ended with the commit, also if the session store loses their removal.
   */
  add(tx: Transaction<Tables>, effect: Effect): Promise<void>;
  /**
   * Applies all stored effects in order. Runs after each commit, at start and on a timer.
   *
   * @throws when the session store cannot be reached. The change is committed, its effects stay stored and are tried
   *   again.
   */
  drain(): Promise<void>;
}

const batchSize = 100;

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
  let next: Promise<void> | null = null;

  const applyAll = async (): Promise<void> => {
    while ((await applyBatch({ entities, sessions })) === batchSize);
  };
  const start = (): Promise<void> => {
    const run = applyAll();
    const finish = () => {
      if (running === run) running = null;
    };
    run.then(finish, finish);
    running = run;
    return run;
  };

  return {
    async add(tx, effect) {
      if (effect.kind === 'endSessions') await raiseCredentials(tx, effect.identityId, effect.which);
      await tx
        .insertInto('outbox')
        .values({ effect: JSON.stringify(effect), createdAt: isoTime(clock()) })
        .execute();
    },
    drain() {
      if (!running) return start();
      // The current run may have read the table before the caller committed. Only a later run surely sees its row.
      const startNext = () => {
        next = null;
        return start();
      };
      next ??= running.then(startNext, startNext);
      return next;
    },
  };
}

async function applyBatch({ entities, sessions }: { entities: EntityStore; sessions: SessionStore }): Promise<number> {
  const rows = await entities.db.selectFrom('outbox').select(['id', 'effect']).orderBy('id').limit(batchSize).execute();
  if (rows.length === 0) return 0;
  for (const row of rows) {
    const effect = JSON.parse(row.effect) as Effect;
    if (effect.kind === 'endSessions') await removeEnded({ entities, sessions }, effect.identityId);
  }
  await sessions.bumpVersion();
  const ids = rows.map(({ id }) => id);
  await entities.db.deleteFrom('outbox').where('id', 'in', ids).execute();
  return rows.length;
}

/** Another replica may have done this already, and there may be new sessions of the identity. They stay. */
async function removeEnded(
  { entities, sessions }: { entities: EntityStore; sessions: SessionStore },
  identityId: string,
): Promise<void> {
  const credentials = await findCredentials(entities.db, identityId);
  await sessions.removeByIdentity(identityId, (session) => hasEnded(session, credentials.get(session.authenticatorId)));
}
