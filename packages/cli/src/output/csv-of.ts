import type { Row } from '@edge-controller/operation-tables';
import { textOf, valueAt } from '@edge-controller/operation-tables';
import { stringify } from 'csv-stringify/sync';
import { printableLines } from '../lib/printable.ts';

const isNumber = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;
/** What makes a spreadsheet run a cell, in the wide forms of East Asian input, too. */
const isFormula = /^[=+\-@\t\n\r\uff1d\uff0b\uff0d\uff20]/;

/** Rows as CSV with a head. A spreadsheet runs no cell: one that it would take for a formula gets a `'` in front. */
export function csvOf(rows: readonly Row[], names: readonly string[]): string {
  const cells = rows.map((row) => names.map((name) => cellOf(textOf(valueAt(row, name)))));
  // Where a semicolon or a tab separates cells, a part of a cell could be one of its own.
  return stringify([names.map(cellOf), ...cells], { quoted_match: /[;\t]/ });
}

function cellOf(text: string): string {
  const cell = isFormula.test(text) && !isNumber.test(text) ? `'${text}` : text;
  return printableLines(cell);
}
