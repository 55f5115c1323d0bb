import type { FilterRow } from '../../core/filter/evaluate.ts';
import { compareRows, evaluate } from '../../core/filter/evaluate.ts';
import { mapPage } from '../../core/filter/map-page.ts';
import type { FilterFields, Page, Query } from '../../core/filter/page.ts';
import { select } from '../../storage/database/select.ts';

/** Rows that are shown at a time. Their names are read together. */
const batchSize = 500;

interface Listed<View, Detail> {
  readonly views: readonly View[];
  readonly query: Query;
  readonly fields: FilterFields;
  /** The values of the filter fields. */
  readonly rowOf: (view: View) => FilterRow;
  readonly details: (views: readonly View[]) => Promise<readonly Detail[]>;
}

/**
 * One page of what is in memory.
 *
 * @throws ApiError `INVALID_FILTER` and `INVALID_SORT_IDENTIFIER`
 */
export function listViews<View, Detail>({ views, query, fields, rowOf, details }: Listed<View, Detail>): Page<Detail> {
  const { expression, sort, limit, offset, isEmpty } = select(query, fields);
  const matches = views
    .map((view) => ({ view, row: rowOf(view) }))
    .filter(({ row }) => expression === null || evaluate(expression, row))
    .sort((one, other) => compareRows(sort, one.row, other.row));
  const shown = isEmpty ? [] : matches.slice(offset, limit === 'none' ? undefined : offset + limit);
  const page = {
    batches: batchesOf(shown.map(({ view }) => view)),
    filterableFields: Object.keys(fields),
    pagination: { limit, offset, totalCount: matches.length },
  };
  return mapPage(page, details);
}

function* batchesOf<View>(views: readonly View[]): Generator<readonly View[]> {
  for (let at = 0; at < views.length; at += batchSize) yield views.slice(at, at + batchSize);
}
