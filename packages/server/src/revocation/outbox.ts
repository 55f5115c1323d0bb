import type { Transaction } from 'kysely';
import type { EntityStore, Tables } from '../entity-store/entity-store.ts';
import type { Clock } from '../lib/clock.ts';
import { isoTime } from '../lib/clock.ts';
import type { SessionStore, SessionSubset } from '../session-store/session-store.ts';
import { findCredentials, hasEnded, raiseCredentials } from './credentials.ts';
import { IssuerSessionSweep } from './issuer-session-sweep.ts';

/** What must happen in the session store after an entity change is committed. */
export type Effect =
  /** Data that decides about sessions was changed. Every replica must read it again. */
  | { readonly kind: 'changed' }
  /** The API sessions of an identity end: all of them, or those that `which` selects. */
  | { readonly kind: 'endSessions'; readonly identityId: string; readonly which?: SessionSubset }
  /**
   * The API sessions that were made through a third-party CA end. Its row is deleted, not enabled for authentication, or has
   * a raised `authVersion`. Every replica must read this again.
   */
  | { readonly kind: 'endCaSessions'; readonly caId: string }
  /** The same with an external JWT signer, which is deleted, not enabled, or has a raised `authVersion`. */
  | { readonly kind: 'endSignerSessions'; readonly signerId: string };

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
   * Applies all stored effects in order. Runs after each commit, at start and on a timer. When the sessions of a CA or a
   * signer end, their removal may take longer.
   *
   * @throws when the session store cannot be reached. The change is committed, its effects stay stored and are tried
   *   again.
   */
  drain(): Promise<void>;
}

interface Stores {
  readonly entities: EntityStore;
  readonly sessions: Pick<SessionStore, 'bumpVersion' | 'list' | 'remove' | 'removeByIdentity'>;
}

const batchSize = 100;

export function createOutbox({ entities, sessions, clock }: Stores & { readonly clock: Clock }): Outbox {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  const sweep = new IssuerSessionSweep({ entities, sessions });
  const applyAll = async (): Promise<void> => {
    while ((await applyBatch({ entities, sessions, sweep })) === batchSize);
    await sweep.run();
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

/** After these, all sessions must be read. */
const sweepKinds: readonly Effect['kind'][] = ['endCaSessions', 'endSignerSessions'];

async function applyBatch({ entities, sessions, sweep }: Stores & { sweep: IssuerSessionSweep }): Promise<number> {
  const { waiting } = sweep;
  const all = entities.db.selectFrom('outbox').select(['id', 'effect']).orderBy('id').limit(batchSize);
  const stored = await (waiting.length === 0 ? all : all.where('id', 'not in', waiting)).execute();
  if (stored.length === 0) return 0;
  const rows = stored.map(({ id, effect }) => ({ id, effect: JSON.parse(effect) as Effect }));
  // First the version: a session that is stored later does not have the version with which its sign-in began.
  await sessions.bumpVersion();
  for (const { effect } of rows) {
    if (effect.kind === 'endSessions') await removeEnded({ entities, sessions }, effect.identityId);
  }
  const { swept = [], done = [] } = Object.groupBy(rows, ({ effect }) =>
    sweepKinds.includes(effect.kind) ? 'swept' : 'done',
  );
  const ids = done.map(({ id }) => id);
  if (ids.length > 0) await entities.db.deleteFrom('outbox').where('id', 'in', ids).execute();
  for (const { id, effect } of swept) sweep.add(id, effect.kind === 'endSignerSessions' ? effect.signerId : null);
  return rows.length;
}

/** Another replica may have done this already, and there may be new sessions of the identity. They stay. */
async function removeEnded({ entities, sessions }: Stores, identityId: string): Promise<void> {
  const credentials = await findCredentials(entities.db, identityId);
  await sessions.removeByIdentity(identityId, (session) => hasEnded(session, credentials.get(session.authenticatorId)));
}
