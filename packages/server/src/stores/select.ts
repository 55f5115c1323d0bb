import { ApiError } from '../api-error.ts';
import { FilterError } from '../lib/filter/filter-error.ts';
import type { Selection } from '../lib/filter/paging.ts';
import { selectionOf } from '../lib/filter/paging.ts';
import type { FilterFields, Query } from './page.ts';

const codes = { filter: 'INVALID_FILTER', sort: 'INVALID_SORT_IDENTIFIER' } as const;

/** The selection that a list request asks for: `ApiError('INVALID_FILTER')` or `('INVALID_SORT_IDENTIFIER')` if malformed. */
export function select(query: Query, fields: FilterFields): Selection {
  return selectionOf(query, fields, (parameter, error) => {
    if (!(error instanceof FilterError)) throw error;
    return new ApiError(codes[parameter], { cause: { code: 'UNHANDLED', message: error.message }, origin: error });
  });
}
