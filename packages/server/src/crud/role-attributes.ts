import { sql } from 'kysely';
import { compareRows, evaluate } from '../core/filter/evaluate.ts';
import type { FilterFields, Page, Query } from '../core/filter/page.ts';
import { select } from '../storage/database/select.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import type { Dependencies } from './dependencies.ts';

const fields: FilterFields = { id: { column: 'id', type: 'string' } };

/** The table of the role attributes of an entity, `undefined` when it has none. */
export function attributesTable(
  { definitions }: Pick<Dependencies, 'definitions'>,
  name: EntityName,
): string | undefined {
  return definitions[name].sets.find(({ field }) => field.kind === 'attributes')?.table;
}

/** As `attributesTable`, for entities that roles select. */
export function attributesOf(dependencies: Pick<Dependencies, 'definitions'>, name: EntityName): string {
  const table = attributesTable(dependencies, name);
  if (table === undefined) throw new Error(`roles select ${name}, which have no role attributes`);
  return table;
}

/**
 * Lists the role attributes that at least one entity has, sorted. Filters call an attribute `id`. Only the filter itself limits
 * the list.
 */
export async function listRoleAttributes(
  dependencies: Dependencies,
  name: EntityName,
  { filter, sort: order }: Query,
): Promise<Page<string>> {
  // Consoles sort by what lists of entities have: it says nothing about attributes.
  const known = order?.split(',').filter((part) => /^\s*id(\s|$)/i.test(part));
  const { expression, sort, limit, offset } = select(
    { filter, limit: -1, ...(known?.length && { sort: known.join(',') }) },
    fields,
  );
  const table = sql.table(attributesOf(dependencies, name));
  const { rows } = await sql<{ id: string }>`select distinct "value" as "id" from ${table}`.execute(
    dependencies.database.lists,
  );
  const found = rows
    .filter((row) => expression === null || evaluate(expression, row))
    .toSorted((one, other) => compareRows(sort, one, other));
  const page = found.slice(offset, limit === 'none' ? undefined : offset + limit);
  return {
    batches: [page.map(({ id }) => id)],
    filterableFields: Object.keys(fields),
    pagination: { limit, offset, totalCount: found.length },
  };
}
