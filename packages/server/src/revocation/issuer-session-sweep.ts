import { inValues } from '../database/sql/select-values.ts';
import type { EntityStore } from '../entity-store/entity-store.ts';
import type { SessionStore } from '../session-store/session-store.ts';
import { removeSignerCredentials } from './credentials.ts';
import type { SessionIssuer } from './session-issuer.ts';
import { issuerOf, isUnchanged } from './session-issuer.ts';

/** Milliseconds that a change waits for the removal. No request is served in these sessions any more. */
const patience = 1_000;

/**
 * Removes the API sessions that ended with their third-party CA or external JWT signer from the session store, so that lists
 * no longer have them, and the credentials of deleted signers. These sessions have no index, so one pass reads all sessions in
 * batches. A long pass continues in the background.
 */
export interface IssuerSessionSweep {
  /** Ids of the rows of the outbox that wait for a pass. */
  readonly waiting: readonly number[];
  /** `signerId`: the signer that may be deleted. */
  add(id: number, signerId: string | null): void;
  /** Starts a pass unless one runs. Resolves when the pass has ended or has taken one second. Never rejects. */
  run(): Promise<void>;
}

export function createIssuerSessionSweep({
  entities,
  sessions,
}: {
  entities: EntityStore;
  sessions: SessionStore;
}): IssuerSessionSweep {
  /** Signers by the ids of the rows. */
  const waiting = new Map<number, string | null>();
  let running: Promise<void> | null = null;

  const { db, sql } = entities;
  type Ids = ReturnType<typeof inValues>;
  const trusted = {
    ca: (ids: Ids) =>
      db
        .selectFrom('cas')
        .select(['id', 'authVersion'])
        .where('id', 'in', ids)
        .where('isVerified', '=', 1)
        .where('isAuthEnabled', '=', 1)
        .execute(),
    signer: (ids: Ids) =>
      db
        .selectFrom('externalJwtSigners')
        .select(['id', 'authVersion'])
        .where('id', 'in', ids)
        .where('enabled', '=', 1)
        .execute(),
  };
  const find = async (kind: SessionIssuer['kind'], issuers: readonly SessionIssuer[]) => {
    const ids = new Set(issuers.filter((issuer) => issuer.kind === kind).map(({ id }) => id));
    const found = ids.size === 0 ? [] : await trusted[kind](inValues(sql, [...ids]));
    return new Map(found.map((issuer) => [issuer.id, issuer]));
  };

  const removeCredentials = async (signerIds: readonly string[]) => {
    for (const signerId of new Set(signerIds)) {
      const signer = await db
        .selectFrom('externalJwtSigners')
        .select('id')
        .where('id', '=', signerId)
        .executeTakeFirst();
      if (signer) continue;
      while (await removeSignerCredentials(db, signerId));
    }
  };

  const pass = async (): Promise<void> => {
    const rows = [...waiting];
    const { batches } = await sessions.list({ limit: -1, sort: 'id' });
    for await (const batch of batches) {
      const issued = batch.flatMap((session) => {
        const issuer = issuerOf(session);
        return issuer ? [{ session, issuer }] : [];
      });
      const issuers = issued.map(({ issuer }) => issuer);
      // Read after the sessions: what has signed in one of them is found, unless it was taken away since.
      const now = { ca: await find('ca', issuers), signer: await find('signer', issuers) };
      const ended = issued.filter(({ issuer }) => !isUnchanged(issuer, now[issuer.kind].get(issuer.id)));
      await Promise.all(ended.map(({ session }) => sessions.remove(session)));
    }
    await removeCredentials(rows.flatMap(([, signerId]) => (signerId === null ? [] : [signerId])));
    const ids = rows.map(([id]) => id);
    await db.deleteFrom('outbox').where('id', 'in', ids).execute();
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
      return [...waiting.keys()];
    },
    add: (id, signerId) => void waiting.set(id, signerId),
    run: () => (waiting.size === 0 ? Promise.resolve() : (running ?? start())),
  };
}
