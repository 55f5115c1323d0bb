import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { SqlDialect } from '../../database/sql/dialect.ts';
import { runCompiled } from '../../database/sql/run-compiled.ts';
import { selectValues } from '../../database/sql/select-values.ts';
import type { EntityStore, Tables } from '../../entity-store/entity-store.ts';
import { policiesSelecting, policiesSelectingAny } from '../roles.ts';

interface LastChange {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** How many changes have no time yet. */
  readonly waiting: number | string;
}

interface NotedChange {
  readonly audienceId: string;
  readonly changedAt: number;
}

const lastTime = 'lastServiceUpdate';
const roles = { roles: 'audiences_roles', attributes: 'identities_roleAttributes' };

/**
 * When the services of identities changed last. A change gets its time after its commit, when somebody asks for the first time.
 * Times only grow: on all controllers with one database, whatever their clocks say. So whoever asks for the time and then reads
 * the services misses no change.
 */
export class ServiceUpdates {
  readonly #entities: EntityStore;
  #last: Promise<void> = Promise.resolve();
  /** Those who wait for the end of what runs. Many clients ask at once after a change that concerns them all. */
  #next: { readonly ids: Set<string>; readonly done: Promise<void> } | null = null;

  constructor(entities: EntityStore) {
    this.#entities = entities;
  }

  /** Returns when the services of an identity changed last, in milliseconds since 1970. Reads no services. */
  async lastChangeOf(identityId: string): Promise<number> {
    const last = await this.#read(identityId);
    if (Number(last.waiting) === 0) return last.at;
    await this.#giveTimes(identityId);
    return (await this.#read(identityId)).at;
  }

  /** Gives a time to a change of which only its caller knows: now, or later. Every other change has an earlier or a later time. */
  async takeTime(now: number): Promise<number> {
    return await this.#entities.transaction(async (tx) => {
      const at = Math.max(now, (await lockLastTime(tx, this.#entities.sql)) + 1);
      await storeLastTime(tx, at);
      return at;
    });
  }

  async #read(id: string): Promise<LastChange> {
    const { db, dialect } = this.#entities;
    const own = () => sql`select ${id} as "id" union all ${policiesSelecting({ id, ...roles })}`;
    const { rows } = await runCompiled<LastChange>(db, `${dialect} last change`, {
      compile: () =>
        sql<LastChange>`with own as (${own()}) select
          (select max("lastChangeAt") from "audiences" where "id" in (select "id" from own)) as "at",
          (select count(*) from "audienceChanges" where "audienceId" in (select "id" from own)) as "waiting"`.compile(
          db,
        ),
      parameters: [id, `@${id}`, id],
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
      return this.#entities.transaction((tx) => giveTimes(this.#entities, tx, [...ids]));
    };
    const done = this.#last.then(run, run);
    this.#last = done;
    return { ids, done };
  }
}

/**
 * Gives a time to the changes that concern these identities. A row that another transaction has locked stands for a change that is
 * not committed yet. It gets this time and stays, so it gets a later one, too.
 */
async function giveTimes({ sql: dialect }: EntityStore, tx: Transaction<Tables>, ids: readonly string[]) {
  const last = await lockLastTime(tx, dialect);
  const given = selectValues(dialect, ids);
  const concerned = sql`${given} union ${policiesSelectingAny({ ids: given, entities: 'identities', ...roles })}`;
  const waiting = sql`from "audienceChanges" where "audienceId" in (${concerned})`;
  const finished = await sql<NotedChange>`delete from "audienceChanges"
    where "id" in (select "id" ${waiting} ${dialect.forFreeUpdate}) returning "audienceId", "changedAt"`.execute(tx);
  const kept = await sql<NotedChange>`select "audienceId", "changedAt" ${waiting}`.execute(tx);
  const changes = [...finished.rows, ...kept.rows];
  if (changes.length === 0) return;
  const at = changes.reduce((latest, { changedAt }) => Math.max(latest, changedAt), last + 1);
  const audiences = [...new Set(changes.map(({ audienceId }) => audienceId))];
  await sql`insert into "audiences" ("id", "lastChangeAt")
    select element.value, cast(${at} as bigint) from ${dialect.texts(audiences)} where true
    on conflict ("id") do update set "lastChangeAt" = excluded."lastChangeAt"`.execute(tx);
  await storeLastTime(tx, at);
}

async function storeLastTime(tx: Transaction<Tables>, at: number): Promise<void> {
  await tx
    .updateTable('meta')
    .set({ value: String(at) })
    .where('key', '=', lastTime)
    .execute();
}

/** The greatest time that a change got so far. One transaction after the other gives times. */
async function lockLastTime(tx: Transaction<Tables>, { forUpdate }: SqlDialect): Promise<number> {
  const { rows } = await sql<{
    value: string;
  }>`select "value" from "meta" where "key" = ${lastTime} ${forUpdate}`.execute(tx);
  return Number(rows[0]?.value);
}
