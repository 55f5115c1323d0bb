import { isOfCa } from './credentials.ts';
import type { EntityStore } from './entity-store.ts';
import type { SessionStore } from './session-store.ts';
import { inValues } from './sql/select-values.ts';

/** Milliseconds that a change waits for the removal. No request is served in these sessions any more. */
const patience = 1_000;

/**
 * Removes the API sessions that ended with their third-party CA from the session store, so that lists no longer have them.
 * The sessions of a CA have no index, so one pass reads all sessions in batches. A long pass continues in the background.
 */
export interface CaSessionSweep {
  /** Ids of the rows of the outbox that wait for a pass. */
  readonly waiting: readonly number[];
  add(id: number): void;
  /** Starts a pass unless one runs. Resolves when the pass has ended or has taken one second. Never rejects. */
  run(): Promise<void>;
}

export function createCaSessionSweep({
  entities,
  sessions,
}: {
  entities: EntityStore;
  sessions: SessionStore;
}): CaSessionSweep {
  const waiting = new Set<number>();
  let running: Promise<void> | null = null;

  const find = async (ids: readonly string[]) => {
    const cas = await entities.db
      .selectFrom('cas')
      .select(['id', 'authVersion'])
      .where('id', 'in', inValues(entities.sql, [...new Set(ids)]))
      .where('isVerified', '=', 1)
      .where('isAuthEnabled', '=', 1)
      .execute();
    return new Map(cas.map((ca) => [ca.id, ca]));
  };

  const pass = async (): Promise<void> => {
    const ids = [...waiting];
    const { batches } = await sessions.list({ limit: -1, sort: 'id' });
    for await (const batch of batches) {
      const ofCas = batch.filter(({ caId }) => caId);
      if (ofCas.length === 0) continue;
      // Read after the sessions: a CA that has signed in one of them is found, unless it was taken away since.
      const cas = await find(ofCas.map(({ caId }) => caId ?? ''));
      const ended = ofCas.filter((session) => !isOfCa(session, cas.get(session.caId ?? '')));
      await Promise.all(ended.map((session) => sessions.remove(session)));
    }
    await entities.db.deleteFrom('outbox').where('id', 'in', ids).execute();
    for (const id of ids) waiting.delete(id);
  };

  const start = (): Promise<void> => {
    // The rows stay in the outbox when it fails, so the next drain tries again.
    const run = pass().catch(() => undefined);
    const bounded = Promise.race([run, new Promise<void>((resolve) => setTimeout(resolve, patience).unref())]);
    running = bounded;
    void run.then(() => {
      running = null;
    });
    return bounded;
  };

  return {
    get waiting() {
      return [...waiting];
    },
    add: (id) => void waiting.add(id),
    run: () => (waiting.size === 0 ? Promise.resolve() : (running ?? start())),
  };
}
