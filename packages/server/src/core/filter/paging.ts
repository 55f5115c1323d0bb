import type { Expression, SortField } from './ast.ts';
import type { FilterFields, Query } from './page.ts';
import { parseFilter, parseSort } from './parse.ts';

const defaultLimit = 10;
const maxLimit = 500;
const maxOffset = 100_000;

/** A parsed list request with all limits and defaults applied. */
export interface PageSelection {
  readonly expression: Expression | null;
  /** Always ends with the id, so that the order is unique. */
  readonly sort: readonly SortField[];
  readonly limit: number | 'none';
  readonly offset: number;
  /** True when the page has no rows, whatever matches: on the wire, a page with an offset but no limit is empty. */
  readonly isEmpty: boolean;
}

/**
 * Parses a list request. `sort by`, `skip` and `limit` inside the filter take precedence over the parameters. `onError`
 * converts a `FilterError` to the error that is thrown. Its first argument is the invalid parameter.
 */
export function selectionOf(
  query: Query,
  fields: FilterFields,
  onError: (parameter: 'filter' | 'sort', error: unknown) => Error,
): PageSelection {
  const parsed = attempt(
    () => parseFilter(query.filter ?? '', fields),
    (error) => onError('filter', error),
  );
  const sort = attempt(
    () => parseSort(query.sort ?? '', fields),
    (error) => onError('sort', error),
  );
  const order = withTieBreak(parsed.sort ?? sort);
  const limit = boundLimit(parsed.limit ?? query.limit);
  const offset = boundOffset(parsed.skip ?? query.offset);
  const isEmpty = limit === 'none' && offset > 0;
  return { expression: parsed.expression, sort: order, limit, offset, isEmpty };
}

function attempt<T>(work: () => T, onError: (error: unknown) => Error): T {
  try {
    return work();
  } catch (error) {
    throw onError(error);
  }
}

function withTieBreak(sort: readonly SortField[]): readonly SortField[] {
  const byId = sort.findIndex((field) => field.column === 'id' && !field.path && !field.through);
  if (byId >= 0) return sort.slice(0, byId + 1);
  return [...sort, { column: 'id', type: 'string', descending: false }];
}

/** -1 means no limit. The result is 10 when `limit` is absent, 0 or below -1, and at most 500. */
export function boundLimit(limit: number | undefined): number | 'none' {
  if (limit === -1) return 'none';
  if (limit === undefined || Number.isNaN(limit) || limit <= 0) return defaultLimit;
  return Math.min(Math.trunc(limit), maxLimit);
}

/** The result is between 0 and 100000. */
export function boundOffset(offset: number | undefined): number {
  if (offset === undefined || Number.isNaN(offset) || offset < 0) return 0;
  return Math.min(Math.trunc(offset), maxOffset);
}
