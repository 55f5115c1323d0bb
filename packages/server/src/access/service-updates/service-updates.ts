import { sql } from 'kysely';
import { policiesSelectingAny } from '../../crud/roles.ts';
import { runCompiled } from '../../storage/database/sql/run-compiled.ts';
import { selectValues } from '../../storage/database/sql/select-values.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';
import { giveTimes, takeTime } from './give-times.ts';
import { lastChangeIn, subjectRoles, subjectsWith } from './last-change.ts';

interface LastChange {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** How many changes have no time yet. */
  readonly waiting: number | string;
}

/**
 * When the services of identities changed last. A change gets its time after its commit, when somebody asks for the first time.
 * Times only grow: on all controllers with one database, whatever their clocks say. So whoever asks for the time and then reads
 * the services misses no change.
 */
export class ServiceUpdates {
  readonly #database: EntityStore;
  #last: Promise<void> = Promise.resolve();
  /** Those who wait for the end of what runs. Many clients ask at once after a change that concerns them all. */
  #next: { readonly ids: Set<string>; readonly done: Promise<void> } | null = null;

  constructor(database: EntityStore) {
    this.#database = database;
  }

  /** Returns when the services of an identity changed last, in milliseconds since 1970. Reads no services. */
  async lastChangeOf(identityId: string): Promise<number> {
    const last = await this.#read(identityId);
    if (Number(last.waiting) === 0) return last.at;
    await this.#giveTimes(identityId);
    return (await this.#read(identityId)).at;
  }

  /** Gives a time to a change that only the caller knows: now, or later. No other change gets the same time. */
  async takeTime(now: number): Promise<number> {
    const { sql: dialect } = this.#database;
    return await this.#database.transaction((tx) => takeTime(tx, dialect, now));
  }

  async #read(id: string): Promise<LastChange> {
    const { db, dialect } = this.#database;
    const { rows } = await runCompiled<LastChange>(db, `${dialect} last change`, {
      compile: () =>
        sql<LastChange>`with own as (${subjectsWith(id)}) select
          ${lastChangeIn(sql`select "id" from own`, id)} as "at",
          (select count(*) from "subjectChanges" where "subjectId" in (select "id" from own)) as "waiting"`.compile(db),
      parameters: [id, `@${id}`, id, id, id],
    });
    const [last] = rows;
    if (!last) throw new Error('an aggregate always has a row');
    return last;
  }

  #giveTimes(identityId: string): Promise<void> {
    this.#next ??= this.#startNext();
    this.#next.ids.add(identityId);
    return this.#next.done;
  }

  #startNext() {
    const ids = new Set<string>();
    const run = () => {
      this.#next = null;
      const { sql: dialect } = this.#database;
      const given = selectValues(dialect, [...ids]);
      const selecting = policiesSelectingAny({ ids: given, entities: 'identities', ...subjectRoles });
      return this.#database.transaction((tx) => giveTimes(tx, dialect, sql`${given} union ${selecting}`));
    };
    const done = this.#last.then(run, run).then(() => undefined);
    this.#last = done;
    return { ids, done };
  }
}
