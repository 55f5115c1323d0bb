import type { Row } from '@edge-controller/operation-tables';
import { isRow, textOf, valueAt } from '@edge-controller/operation-tables';
import { usageError } from '../errors/cli-error.ts';
import { printable, printableLines } from '../lib/printable.ts';
import { jsonOf } from './json-of.ts';
import type { Columns } from './table.ts';
import { note, print, terminalWidth } from './terminal.ts';

export const formats = ['table', 'json', 'yaml', 'csv'] as const;
export type Format = (typeof formats)[number];

/** What somebody wants to see. */
export interface OutputOptions {
  readonly output?: Format;
  /** Names of columns with commas: `id,name,authPolicy.name`. */
  readonly columns?: string;
  /** Ids alone, one a line; with `columns` these, without a head. */
  readonly quiet?: boolean;
}

/** Prints the rows of a list. `known`: the columns of its tables. */
export async function printRows(rows: readonly Row[], known: readonly string[], options: OutputOptions): Promise<void> {
  const { output = 'table', quiet } = options;
  const requested = requestedColumns(options);
  if (quiet) return rows.forEach((row) => void print(plainOf(row, requested, known[0])));
  const names = requested ?? known;
  switch (output) {
    case 'table':
      return printTable(rows, { names, areRequested: requested !== null });
    case 'csv':
      return printCsv(rows, requested ?? (known.length > 0 ? known : membersOf(rows[0])));
    default:
      return printValue(
        rows.map((row) => shownOf(row, requested)),
        output,
      );
  }
}

async function printTable(rows: readonly Row[], columns: Columns): Promise<void> {
  const { tableOf } = await import('./table.ts');
  let hidden = 0;
  const onCut = (count: number) => {
    hidden = count;
  };
  print(tableOf(rows, columns, terminalWidth(), onCut));
  if (hidden > 0) note(`${hidden} more ${hidden === 1 ? 'column' : 'columns'}: --columns or --output json`);
}

/** Prints one object. */
export async function printDetail(value: unknown, options: OutputOptions): Promise<void> {
  const { output = 'table', quiet } = options;
  if (!isRow(value)) return printPlain(value, output);
  const requested = requestedColumns(options);
  // A column that was asked for may have lines, such as PEM: there is no other row that they could imitate.
  if (quiet && requested?.length === 1) return print(printableLines(textOf(valueAt(value, requested[0] ?? ''))));
  if (quiet) return print(plainOf(value, requested));
  const names = requested ?? membersOf(value);
  if (output === 'csv') return printCsv([value], names);
  if (output !== 'table') return printValue(shownOf(value, requested), output);
  const { detailOf } = await import('./table.ts');
  print(detailOf(value, names));
}

async function printPlain(value: unknown, output: Format): Promise<void> {
  if (value === undefined || value === null) return;
  if (typeof value === 'string' && output === 'table') return print(printableLines(value));
  if (Array.isArray(value) && value.every(isRow)) return printRows(value, membersOf(value[0]), { output });
  await printValue(value, output === 'yaml' ? 'yaml' : 'json');
}

/** Prints any value as JSON or YAML. */
export async function printValue(value: unknown, output: 'json' | 'yaml'): Promise<void> {
  if (output === 'json') return print(jsonOf(value, 2));
  const { yamlOf } = await import('./yaml-of.ts');
  print(yamlOf(value));
}

async function printCsv(rows: readonly Row[], names: readonly string[]): Promise<void> {
  const { csvOf } = await import('./csv-of.ts');
  print(csvOf(rows, names));
}

function requestedColumns({ columns }: OutputOptions): string[] | null {
  if (columns === undefined) return null;
  const names = columns.split(',').map((name) => name.trim());
  if (names.includes('')) throw usageError('--columns: names of members with commas, such as id,name,authPolicy.name');
  return names;
}

/** Refuses columns that neither the rows have nor `known` names. An empty list has all columns. */
export function requireColumns(rows: readonly unknown[], known: readonly string[], options: OutputOptions): void {
  const objects = rows.filter(isRow);
  if (objects.length === 0) return;
  const first = (name: string) => name.split('.', 1)[0] ?? '';
  const members = new Set([...known, ...objects.flatMap((row) => Object.keys(row))].map(first));
  const unknown = requestedColumns(options)?.find((name) => !members.has(first(name)));
  if (unknown === undefined) return;
  const columns = new Set([...known, ...membersOf(objects[0])]);
  const names = [...columns].map((name) => printable(name));
  throw usageError(`--columns: there is no ${JSON.stringify(unknown)}\nColumns: ${names.join(', ')}`);
}

function shownOf(row: Row, columns: readonly string[] | null): Row {
  return columns === null ? row : Object.fromEntries(columns.map((name) => [name, valueAt(row, name) ?? null]));
}

/** The id, or the columns that were asked for, as one line without a head. `first`: the column of rows that have no id. */
function plainOf(row: Row, columns: readonly string[] | null, first = 'name'): string {
  if (columns === null) return printable(textOf(row.id ?? row[first]));
  return columns.map((name) => printable(textOf(valueAt(row, name)))).join('\t');
}

/** The members that have one value each; those of objects by their paths. */
function membersOf(row: Row | undefined): string[] {
  return Object.entries(row ?? {}).flatMap(([name, value]) => {
    if (name === '_links') return [];
    if (isRow(value) && 'id' in value && 'name' in value) return [`${name}.name`];
    return isRow(value) && Object.keys(value).length > 0 ? membersOf(value).map((inner) => `${name}.${inner}`) : [name];
  });
}
