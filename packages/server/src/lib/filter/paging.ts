import type { FilterFields, Query } from '../../stores/page.ts';
import type { Expression, SortField } from './ast.ts';
import { parseFilter, parseSort } from './parse.ts';

const defaultLimit = 10;
const maxLimit = 500;
const maxOffset = 100_000;

/** A list request with every bound and default applied. */
export interface Selection {
  readonly expression: Expression | null;
  /** Always ends with the id, so that the order is total. */
  readonly sort: readonly SortField[];
  readonly limit: number | 'none';
  readonly offset: number;
}

/**
 * Parses `filter` and `sort` and normalises the page. `sort by`, `skip` and `limit` inside the filter win. `onError` turns
 * a `FilterError` into what the caller throws; it is told which parameter was wrong.
 */
export function selectionOf(
  query: Query,
  fields: FilterFields,
  onError: (parameter: 'filter' | 'sort', error: unknown) => Error,
): Selection {
  const parsed = attempt(
    () => parseFilter(query.filter ?? '', fields),
    (error) => onError('filter', error),
  );
  const sort = attempt(
    () => parseSort(query.sort ?? '', fields),
    (error) => onError('sort', error),
  );
  return {
    expression: parsed.expression,
    sort: withTieBreak(parsed.sort ?? sort),
    limit: boundLimit(parsed.limit ?? query.limit),
    offset: boundOffset(parsed.skip ?? query.offset),
  };
}

function attempt<T>(work: () => T, onError: (error: unknown) => Error): T {
  try {
    return work();
  } catch (error) {
    throw onError(error);
  }
}

function withTieBreak(sort: readonly SortField[]): readonly SortField[] {
  const byId = sort.findIndex((field) => field.column === 'id');
  if (byId >= 0) return sort.slice(0, byId + 1);
  return [...sort, { column: 'id', type: 'string', descending: false }];
}

/** -1 is no limit; 10 when absent, 0 or below -1; at most 500. */
export function boundLimit(limit: number | undefined): number | 'none' {
  if (limit === -1) return 'none';
  if (limit === undefined || Number.isNaN(limit) || limit <= 0) return defaultLimit;
  return Math.min(Math.trunc(limit), maxLimit);
}

/** From 0 to 100000. */
export function boundOffset(offset: number | undefined): number {
  if (offset === undefined || Number.isNaN(offset) || offset < 0) return 0;
  return Math.min(Math.trunc(offset), maxOffset);
}
