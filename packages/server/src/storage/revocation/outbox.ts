import type { Transaction } from 'kysely';
import type { Clock } from '../../core/time/clock.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { EntityStore, Tables } from '../entity-store/entity-store.ts';
import type { SessionStore } from '../session-store/session-store.ts';
import { findCredentials, hasEnded, raiseCredentials } from './credentials.ts';
import type { Effect, RightsScope } from './effect.ts';
import { removeIssuerSessions } from './remove-issuer-sessions.ts';
import { Sweep } from './sweep.ts';

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
  readonly database: EntityStore;
  readonly sessions: Pick<SessionStore, 'bumpRightsVersion' | 'bumpVersion' | 'list' | 'remove' | 'removeByIdentity'>;
}

interface Options extends Stores {
  readonly clock: Clock;
  /** Rights have changed: ends the sessions of services in a scope whose right is lost. */
  readonly endLostSessions: (scope: RightsScope) => Promise<void>;
  /** Removes API sessions that have ended already, by the hashes of their tokens. */
  readonly endSignedOut: (tokenHashes: readonly string[]) => Promise<void>;
}

const batchSize = 100;

/** Milliseconds that a change waits for a sweep: until then nothing but lists shows what it removes. */
const patience = { issuers: 1_000, rights: 250 };

export function createOutbox(options: Options): Outbox {
  const { database, sessions, clock, endLostSessions } = options;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  const issuers = new Sweep(database, patience.issuers, (effects) =>
    removeIssuerSessions({ database, sessions }, effects),
  );
  const rights = new Sweep(database, patience.rights, (effects) => endLostSessions(widestScope(effects)));
  const applyAll = async (): Promise<void> => {
    const added = new Set<Sweep>();
    while ((await applyBatch(options, { issuers, rights }, added)) === batchSize);
    // What waits since an earlier run is not of those who wait now.
    const passes = [issuers, rights].map((sweep) => ({ sweep, pass: sweep.run() }));
    await Promise.all(passes.flatMap(({ sweep, pass }) => (added.has(sweep) ? [pass] : [])));
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

type Sweeps = Readonly<Record<'issuers' | 'rights', Sweep>>;

/** Returns how many rows it has read. `added` gets the sweeps that have work because of them. */
async function applyBatch(options: Options, sweeps: Sweeps, added: Set<Sweep>): Promise<number> {
  const { database, sessions } = options;
  const waiting = Object.values(sweeps).flatMap((sweep) => sweep.waiting);
  const all = database.db.selectFrom('outbox').select(['id', 'effect']).orderBy('id').limit(batchSize);
  const stored = await (waiting.length === 0 ? all : all.where('id', 'not in', waiting)).execute();
  if (stored.length === 0) return 0;
  const rows = stored.map(({ id, effect }) => ({ id, effect: JSON.parse(effect) as Effect }));
  // First the versions: a session that is stored later does not have the version with which its request began.
  await Promise.all([
    rows.some(({ effect }) => effect.kind !== 'rights') && sessions.bumpVersion(),
    rows.some(({ effect }) => effect.kind === 'rights') && sessions.bumpRightsVersion(),
  ]);
  const signedOut = rows.flatMap(({ effect }) => (effect.kind === 'endSession' ? [effect.tokenHash] : []));
  if (signedOut.length > 0) await options.endSignedOut(signedOut);
  const done: number[] = [];
  for (const { id, effect } of rows) {
    const name = sweepFor(effect);
    if (name) {
      sweeps[name].add(id, effect);
      added.add(sweeps[name]);
      continue;
    }
    await apply(options, effect);
    done.push(id);
  }
  if (done.length > 0) await database.db.deleteFrom('outbox').where('id', 'in', done).execute();
  return rows.length;
}

/** What has to read all sessions. */
function sweepFor(effect: Effect): keyof Sweeps | null {
  if (effect.kind === 'endCaSessions' || effect.kind === 'endSignerSessions') return 'issuers';
  const isWide = effect.kind === 'rights' && (effect.scope === 'all' || 'serviceId' in Object(effect.scope));
  return isWide ? 'rights' : null;
}

async function apply(options: Options, effect: Effect): Promise<void> {
  if (effect.kind === 'endSessions') await removeEnded(options, effect.identityId);
  if (effect.kind === 'rights') await options.endLostSessions(effect.scope);
}

/** One pass for all effects. */
function widestScope(effects: readonly Effect[]): RightsScope {
  const [first, ...others] = effects.flatMap((effect) => (effect.kind === 'rights' ? [effect.scope] : []));
  return others.length === 0 && first !== undefined ? first : 'all';
}

/** Another replica may have done this already, and there may be new sessions of the identity. They stay. */
async function removeEnded({ database, sessions }: Stores, identityId: string): Promise<void> {
  const credentials = await findCredentials(database.db, identityId);
  await sessions.removeByIdentity(identityId, (session) => hasEnded(session, credentials.get(session.authenticatorId)));
}
