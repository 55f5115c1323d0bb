import { ApiError } from '../../core/api-error.ts';
import { FilterError } from '../../core/filter/filter-error.ts';
import type { FilterFields, Query } from '../../core/filter/page.ts';
import type { PageSelection } from '../../core/filter/paging.ts';
import { selectionOf } from '../../core/filter/paging.ts';

const codes = { filter: 'INVALID_FILTER', sort: 'INVALID_SORT_IDENTIFIER' } as const;

/**
 * Parses a list request.
 *
 * @throws ApiError `INVALID_FILTER` for an invalid filter, `INVALID_SORT_IDENTIFIER` for an invalid sort
 */
export function select(query: Query, fields: FilterFields): PageSelection {
  return selectionOf(query, fields, (parameter, error) => {
    if (!(error instanceof FilterError)) throw error;
    return new ApiError(codes[parameter], { cause: { code: 'UNHANDLED', message: error.message }, origin: error });
  });
}
