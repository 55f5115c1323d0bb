import type { RawBuilder, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { SqlDialect } from '../../storage/database/sql/dialect.ts';
import type { Tables } from '../../storage/entity-store/entity-store.ts';

interface MarkedChange {
  readonly subjectId: string;
  readonly changedAt: number;
}

const lastTime = 'lastServiceUpdate';

/**
 * Gives a time to the changes of some subjects. A row that another transaction has locked belongs to a change that is not
 * committed yet. It gets this time now, and a later one after its commit.
 *
 * @param subjects a sub-query with their ids
 * @returns the greatest time that a change has
 */
export async function giveTimes(
  tx: Transaction<Tables>,
  dialect: SqlDialect,
  subjects: RawBuilder<unknown>,
): Promise<number> {
  const last = await lockLastTime(tx, dialect);
  const waiting = sql`from "subjectChanges" where "subjectId" in (${subjects})`;
  const finished = await sql<MarkedChange>`delete from "subjectChanges"
    where "id" in (select "id" ${waiting} ${dialect.forFreeUpdate}) returning "subjectId", "changedAt"`.execute(tx);
  const kept = await sql<MarkedChange>`select "subjectId", "changedAt" ${waiting}`.execute(tx);
  const changes = [...finished.rows, ...kept.rows];
  if (changes.length === 0) return last;
  const at = changes.reduce((latest, { changedAt }) => Math.max(latest, changedAt), last + 1);
  const changed = [...new Set(changes.map(({ subjectId }) => subjectId))];
  await sql`insert into "subjects" ("id", "lastChangeAt")
    select element.value, cast(${at} as bigint) from ${dialect.texts(changed)} where true
    on conflict ("id") do update set "lastChangeAt" = excluded."lastChangeAt"`.execute(tx);
  await storeLastTime(tx, at);
  return at;
}

/** Takes a time for a change that only the caller knows: now, or later. No other change gets the same time. */
export async function takeTime(tx: Transaction<Tables>, dialect: SqlDialect, now: number): Promise<number> {
  const at = Math.max(now, (await lockLastTime(tx, dialect)) + 1);
  await storeLastTime(tx, at);
  return at;
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
