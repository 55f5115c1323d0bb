import { sql } from 'kysely';
import type { Dependencies } from './dependencies.ts';

/** Counts all entities, by the name of their contract. */
export async function countEntities({
  database,
  definitions,
}: Pick<Dependencies, 'database' | 'definitions'>): Promise<ReadonlyMap<string, number>> {
  const each = Object.keys(definitions).map(
    (name) => sql`select ${sql.lit(name)} as "name", count(*) as "count" from ${sql.table(name)}`,
  );
  const all = sql<{ name: string; count: number | string }>`${sql.join(each, sql` union all `)}`;
  const { rows } = await all.execute(database.lists);
  // PostgreSQL counts with 64 bits, which its driver shows as text.
  return new Map(rows.map(({ name, count }) => [name, Number(count)]));
}
