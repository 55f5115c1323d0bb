import type { Row } from '@edge-controller/operation-tables';
import { textOf } from '@edge-controller/operation-tables';

/** The selected rows of a list, on all its pages: names by id. */
export type ListSelection = ReadonlyMap<string, string>;

/** Rows that can be selected at once. */
export const maxSelected = 100_000;

/** What a person calls a row. */
export function nameOf(row: Row): string {
  const { name, id } = row;
  return textOf(name) || textOf(id);
}

/** The selection after somebody has selected these rows, or selected them no longer. */
export function withRows(selection: ListSelection, rows: readonly Row[], isSelected: boolean): ListSelection {
  const next = new Map(selection);
  for (const row of rows) {
    if (isSelected) next.set(textOf(row.id), nameOf(row));
    else next.delete(textOf(row.id));
  }
  return next;
}
