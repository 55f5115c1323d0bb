import { sql } from 'kysely';
import type { Services } from './services.ts';

/** Counts all entities, by the name of their contract. */
export async function countEntities({
  entities,
  definitions,
}: Pick<Services, 'entities' | 'definitions'>): Promise<ReadonlyMap<string, number>> {
  const each = Object.keys(definitions).map(
    (name) => sql`select ${sql.lit(name)} as "name", count(*) as "count" from ${sql.table(name)}`,
  );
  const all = sql<{ name: string; count: number | string }>`${sql.join(each, sql` union all `)}`;
  const { rows } = await all.execute(entities.lists);
  // PostgreSQL counts with 64 bits, which its driver shows as text.
  return new Map(rows.map(({ name, count }) => [name, Number(count)]));
}
