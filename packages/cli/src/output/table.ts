import type { Row } from '@edge-controller/operation-tables';
import { isRow, textOf, valueAt } from '@edge-controller/operation-tables';
import Table from 'cli-table3';
import { systemClock } from '../lib/clock.ts';
import { printable } from '../lib/printable.ts';
import { styled, terminalWidth } from './terminal.ts';

const gap = 2;
/** A column that nobody asked for takes at most so many characters. */
const widest = 40;
const narrowest = 8;

interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  readonly width: number;
}

/** Columns that the table may choose from, in the order of their weight; or those that somebody asked for. */
export interface Columns {
  readonly names: readonly string[];
  readonly areRequested: boolean;
}

/**
 * Rows as a table that fits the terminal. Columns that do not fit, or have no value, are left out unless asked for. `onCut` gets how
 * many do not fit.
 */
export function tableOf(
  rows: readonly Row[],
  { names, areRequested }: Columns,
  limit = terminalWidth(),
  onCut?: (columns: number) => void,
): string {
  const all = names.map((name) => columnOf(name, rows));
  const withValues = all.filter(({ cells }, at) => at < 2 || cells.some(Boolean));
  const columns = areRequested ? narrowed(all, limit) : fitting(withValues, limit);
  if (!areRequested && columns.length < withValues.length) onCut?.(withValues.length - columns.length);
  const title = (text: string) => styled('bold', text);
  return layOut(
    columns.map(({ title: text }) => title(text)),
    rows.map((_row, at) => columns.map(({ cells }) => cells[at] ?? '')),
    columns.map(({ width }) => width),
  );
}

/** One object as a table of its members. */
export function detailOf(row: Row, names: readonly string[], limit = terminalWidth()): string {
  const members = names.map((name) => [printable(name), cellOf(row, name)] as const);
  const first = Math.max(...members.map(([name]) => name.length), 0);
  const rest = Math.max(limit - first - gap, narrowest);
  const second = Math.min(Math.max(...members.map(([, text]) => text.length), 0), rest);
  return layOut(
    [],
    members.map(([name, text]) => [styled('bold', name), text]),
    [first, second],
    { wraps: true },
  );
}

/** A value as a person reads it. Whether a time is over is said by the clock of this machine. */
function cellOf(row: Row, name: string): string {
  const value = valueAt(row, name);
  if (isRow(value) && Object.keys(value).length === 0) return 'none';
  const text = printable(textOf(value));
  const isOver = /(^|\.)expiresAt$/.test(name) && Date.parse(text) < systemClock();
  return isOver ? `${text} (expired)` : text;
}

function columnOf(name: string, rows: readonly Row[]): Column {
  const cells = rows.map((row) => cellOf(row, name));
  // The title is what `--columns` takes.
  const title = printable(name);
  return { title, cells, width: cells.reduce((width, { length }) => Math.max(width, length), title.length) };
}

/** The first columns that fit beside each other. */
function fitting(columns: readonly Column[], limit: number): Column[] {
  if (limit === Number.POSITIVE_INFINITY) return [...columns];
  let used = 0;
  const chosen = columns.flatMap((column, at) => {
    const width = at === 0 ? column.width : Math.min(column.width, widest);
    if (at > 1 && used + width > limit) return [];
    used += width + gap;
    return [{ ...column, width }];
  });
  return narrowed(chosen, limit);
}

/** Takes from the widest columns until all fit. */
function narrowed(columns: readonly Column[], limit: number): Column[] {
  const widths = columns.map(({ width }) => width);
  for (;;) {
    const total = widths.reduce((sum, width) => sum + width + gap, -gap);
    const largest = Math.max(...widths, 0);
    if (total <= limit || largest <= narrowest) break;
    widths[widths.indexOf(largest)] = Math.max(narrowest, largest - (total - limit));
  }
  return columns.map((column, at) => ({ ...column, width: widths[at] ?? column.width }));
}

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid', 'middle'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((end) => [`${side}${end}`, '']),
  ),
);

function layOut(
  head: string[],
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  { wraps = false } = {},
): string {
  const colWidths = widths.map((width, at) => width + (at < widths.length - 1 ? gap : 0));
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
  const table = new Table({ head, colWidths, style, chars: noBorders, wrapOnWordBoundary: false });
  const contentOf = (content: string, at: number) =>
    // The library counts the codes of colours when it wraps, so only the last column wraps.
    wraps ? { content, wordWrap: at === widths.length - 1 } : cut(content, widths[at] ?? content.length);
  table.push(...rows.map((cells) => cells.map(contentOf)));
  const lines = table.toString().split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
