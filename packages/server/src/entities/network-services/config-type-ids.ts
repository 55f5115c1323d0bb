import { inValues } from '../../storage/database/sql/select-values.ts';
import { allConfigTypes } from '../../storage/session-store/session-store.ts';
import type { Services } from '../services.ts';

/** Returns the ids of the config types that a client names by id or name. Unknown ones are dropped. */
export async function configTypeIds(
  { entities }: Pick<Services, 'entities'>,
  named: readonly string[],
): Promise<readonly string[]> {
  if (named.includes(allConfigTypes)) return [allConfigTypes];
  if (named.length === 0) return [];
  const values = inValues(entities.sql, named);
  const rows = await entities.db
    .selectFrom('configTypes')
    .select('id')
    .where((where) => where.or([where('id', 'in', values), where('name', 'in', values)]))
    .execute();
  return rows.map(({ id }) => id);
}
