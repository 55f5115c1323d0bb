import { inValues } from '../../storage/database/sql/select-values.ts';
import { allConfigTypes } from '../../storage/session-store/session-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Returns the ids of the config types that a client names by id or name. Unknown ones are dropped. */
export async function configTypeIds(
  { database }: Pick<Dependencies, 'database'>,
  named: readonly string[],
): Promise<readonly string[]> {
  if (named.includes(allConfigTypes)) return [allConfigTypes];
  if (named.length === 0) return [];
  const values = inValues(database.sql, named);
  const rows = await database.db
    .selectFrom('configTypes')
    .select('id')
    .where((where) => where.or([where('id', 'in', values), where('name', 'in', values)]))
    .execute();
  return rows.map(({ id }) => id);
}
