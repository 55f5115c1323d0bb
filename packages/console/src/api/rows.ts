import type { Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';

/** A page of a list. */
export interface RowPage {
  readonly rows: readonly Row[];
  /** Rows of the whole list. */
  readonly total: number;
  /** Symbols that a filter may name. Empty when the list says none. */
  readonly symbols: readonly string[];
}

/** Reads what a list operation resolves to: the data with `meta`, or a bare array. */
export function pageOf(answer: unknown): RowPage {
  if (Array.isArray(answer)) {
    const rows = answer.map((value) => (isRow(value) ? value : { value }));
    return { rows, total: rows.length, symbols: [] };
  }
  const { data, meta } = isRow(answer) ? answer : { data: [], meta: undefined };
  const rows = Array.isArray(data) ? data.filter(isRow) : [];
  const { pagination, filterableFields } = isRow(meta) ? meta : { pagination: undefined, filterableFields: [] };
  const total = isRow(pagination) && typeof pagination.totalCount === 'number' ? pagination.totalCount : rows.length;
  return { rows, total, symbols: Array.isArray(filterableFields) ? filterableFields.map(String) : [] };
}
